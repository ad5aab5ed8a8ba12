import { now } from './event.ts';

/** What a server of this benchmark can be asked by the process that started it. */
export interface BenchmarkServer {
  readonly port: number;
  /** Sends the next event to all. */
  emit(): void;
  /** How many would get it. */
  subscribers(): Promise<number> | number;
}

export type ServerCommand = 'emit' | 'subscribers' | 'memory';

/** Answers the process that started this one: when an event was sent, how many listen, and what is held after a collection. */
export function serveCommands({ port, emit, subscribers }: BenchmarkServer): void {
  const answers = {
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
  process.on('message', async (asked: ServerCommand) => process.send!(await answers[asked]()));
  process.on('disconnect', () => process.exit());
  process.send!(port);
}
