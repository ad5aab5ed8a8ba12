export { tournamentCreation } from './contract-calls.ts';
export { buildTournamentHistory, type TournamentLandmarks } from './history.ts';
export { createPlayers } from './players.ts';
