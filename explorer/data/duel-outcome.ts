/** The outcome of a finished duel without a winner: a service of the earlier revision does not state the powers at the end. */
export const outcomeWithoutWinner = ({ powerChange1 }: { readonly powerChange1: string | null }): string =>
  powerChange1 === null ? 'finished' : 'drawn';
