export { createTournament } from './drafts.ts';
export { playHistory, type TournamentLandmarks } from './history.ts';
export { gatherPlayers } from './players.ts';
