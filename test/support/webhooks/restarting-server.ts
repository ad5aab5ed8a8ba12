import { once } from 'node:events';
import { type GraphProcess, startGraph } from '../graph/running-graph.ts';
import { reservePort } from '../reserved-port.ts';

/** The built program, which a test kills and starts again on the same port. */
export interface RestartingServer {
  readonly url: string;
  /** The process that runs now, or the next one. Rejects when one has exited without `killAndRestart`. */
  running(): Promise<GraphProcess>;
  /** Kills the process with SIGKILL and starts it again. Resolves when it is ready. */
  killAndRestart(): Promise<void>;
}

export async function startRestartingServer(settings: Record<string, string>): Promise<RestartingServer> {
  const { port, release } = await reservePort();
  await release();
  let killed: GraphProcess | undefined;
  const start = async (): Promise<GraphProcess> => {
    const graph = await startGraph({ ...settings, PORT: String(port), LOG_LEVEL: 'warn' });
    graph.process.once('exit', (code, signal) => {
      if (graph === killed) return;
      current = Promise.reject(new Error(`the server exited with ${code ?? signal}: ${graph.output()}`));
      // The next request reports it.
      current.catch(() => {});
    });
    return graph;
  };
  let current = start();
  const { url } = await current;
  return {
    url,
    running: () => current,
    async killAndRestart() {
      killed = await current;
      const exited = once(killed.process, 'exit');
      killed.process.kill('SIGKILL');
      // Before the exit, so that no client waits for the killed process.
      current = exited.then(() => killed!.stop()).then(start);
      await current;
    },
  };
}
