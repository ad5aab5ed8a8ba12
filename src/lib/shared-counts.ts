/** Counts by name that the processes of a server limit together. */
export interface SharedCounts {
  /** Sets the count of this process; 0 removes it. */
  set(name: string, count: number): void;
  /** The sum of the counts of the other processes, as of their last message. */
  others(name: string): number;
}
