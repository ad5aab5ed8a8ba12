/** Result of `svc_getTokenMetadata`. */
export interface NodeTokenMetadata {
  readonly name: string | null;
  readonly symbol: string | null;
  /** Number of decimals. */
  readonly decimals: number | null;
  /** URL of an image. */
  readonly logo: string | null;
}

/** Curated token metadata by address, case-insensitive. */
export type TokenMetadataDatabase = Readonly<Record<string, Partial<NodeTokenMetadata>>>;

/**
 * Creates a function that merges metadata of a contract with the database, which takes precedence because it corrects missing and outdated
 * values. The logo is from the database only.
 */
export function createTokenMetadataMerger(entries: TokenMetadataDatabase) {
  const database = new Map(Object.entries(entries).map(([address, entry]) => [address.toLowerCase(), entry]));
  return (address: string, contractMetadata: Omit<NodeTokenMetadata, 'logo'>): NodeTokenMetadata => {
    const entry = database.get(address.toLowerCase());
    return {
      name: entry?.name ?? contractMetadata.name,
      symbol: entry?.symbol ?? contractMetadata.symbol,
      decimals: entry?.decimals ?? contractMetadata.decimals,
      logo: entry?.logo ?? null,
    };
  };
}

export type TokenMetadataMerger = ReturnType<typeof createTokenMetadataMerger>;
