export { tournamentCreation } from './contract-calls.ts';
export { buildTournamentHistory, type TournamentLandmarks } from './history.ts';
export { createPlayers, type SavedSecret } from './players.ts';
