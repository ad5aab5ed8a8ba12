import { once } from 'node:events';
import { type GraphProcess, startGraph } from '../graph/running-graph.ts';
import { findFreePort } from '../reserved-port.ts';

/** Starts the built program, which a test kills and starts again on the same port. */
export async function startRestartingServer(settings: Record<string, string>) {
  const port = await findFreePort();
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
    /** The process that runs now, or the next one. Rejects when one has exited without `killAndRestart`. */
    running: () => current,
    /** Kills the process with SIGKILL and starts it again. Resolves when it is ready. */
    async killAndRestart(): Promise<void> {
      killed = await current;
      const exited = once(killed.process, 'exit');
      killed.process.kill('SIGKILL');
      // Before the exit, so that no client waits for the killed process.
      current = exited.then(() => killed!.stop()).then(start);
      await current;
    },
  };
}
