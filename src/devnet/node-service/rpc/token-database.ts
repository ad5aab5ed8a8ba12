/** What is known of a token: the seed's fields of `svc_getTokenMetadata`. */
export interface NodeTokenMetadata {
  readonly name: string | null;
  readonly symbol: string | null;
  /** A decoded number. */
  readonly decimals: number | null;
  /** URL of an image. */
  readonly logo: string | null;
}

/** The maintained database: by address, what people found out about a token. Case of addresses does not matter. */
export type TokenMetadataDatabase = Readonly<Record<string, Partial<NodeTokenMetadata>>>;

/**
 * Merges what a contract tells with what the database has. The database goes first: people correct it where a contract lacks a value or
 * tells one that is no longer right. The logo is never the contract's.
 */
export function createTokenMetadataMerger(entries: TokenMetadataDatabase) {
  const known = new Map(Object.entries(entries).map(([address, entry]) => [address.toLowerCase(), entry]));
  return (address: string, told: Omit<NodeTokenMetadata, 'logo'>): NodeTokenMetadata => {
    const entry = known.get(address.toLowerCase());
    return {
      name: entry?.name ?? told.name,
      symbol: entry?.symbol ?? told.symbol,
      decimals: entry?.decimals ?? told.decimals,
      logo: entry?.logo ?? null,
    };
  };
}

export type TokenMetadataMerger = ReturnType<typeof createTokenMetadataMerger>;
