import type { DuelResolvers, DuelRoundResolvers } from '../../../generated/wizards.ts';
import { powerChangeOf, roundsOf, winnerIdOf } from '../rounds.ts';
import { blockKeyOf, duelLink, reachedBlockKey, wizardLink } from './links.ts';

export const wizardsDuelResolvers: DuelResolvers = {
  __resolveReference: ({ id }, context, info) => duelLink(id, context, info),
  wizard1: ({ wizard1Id }, _args, context, info) => wizardLink(wizard1Id, context, info),
  wizard2: ({ wizard2Id }, _args, context, info) => wizardLink(wizard2Id, context, info),
  startBlock: ({ startBlockNumber }) => blockKeyOf(startBlockNumber),
  endBlock: ({ endBlockNumber }) => blockKeyOf(endBlockNumber),
  timeoutBlock: ({ timeoutBlockNumber }, _args, context) => reachedBlockKey(timeoutBlockNumber, context),
  status: ({ endBlockNumber }) => (endBlockNumber === null ? 'IN_PROGRESS' : 'FINISHED'),
  winner: (duel, _args, context, info) => wizardLink(winnerIdOf(duel), context, info),
  powerChange1: ({ startPower1, endPower1 }) => powerChangeOf(startPower1, endPower1)?.toString() ?? null,
  powerChange2: ({ startPower2, endPower2 }) => powerChangeOf(startPower2, endPower2)?.toString() ?? null,
  rounds: (duel) => roundsOf(duel),
};

export const wizardsDuelRoundResolvers: DuelRoundResolvers = {
  winner: ({ winnerId }, _args, context, info) => wizardLink(winnerId, context, info),
};
