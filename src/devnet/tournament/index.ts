export { createTournament } from './contract-calls.ts';
export { playHistory, type TournamentLandmarks } from './history.ts';
export { gatherPlayers } from './players.ts';
