import { now } from './event.ts';

/** The operations of a benchmark server that its parent process can call. */
export interface BenchmarkServer {
  readonly port: number;
  /** Sends the next event to all subscribers. */
  emit(): void;
  /** Number of subscribers. */
  subscribers(): Promise<number> | number;
}

export type ServerCommand = 'emit' | 'subscribers' | 'memory';

/**
 * Serves commands of the parent process: `emit` returns the time of the event, `subscribers` their number, `memory` the resident bytes after
 * a garbage collection.
 */
export function serveCommands({ port, emit, subscribers }: BenchmarkServer): void {
  const commands = {
    emit() {
      const at = now();
      emit();
      return at;
    },
    subscribers,
    memory() {
      for (let i = 0; i < 3; i++) (globalThis as { gc?: () => void }).gc?.();
      return process.memoryUsage().rss;
    },
  };
  process.on('message', async (command: ServerCommand) => process.send!(await commands[command]()));
  process.on('disconnect', () => process.exit());
  process.send!(port);
}
