import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { stopAfterTests } from '../../cleanups.ts';

/** A process of clients: beside the server and the node it does not delay them, and its own delays are the delays of its clients alone. */
export interface LoadProcess<Command extends object> {
  /** Sends a command without a response. */
  send(command: Command): void;
  /** Sends a command and returns its response. */
  request<Response>(command: Command): Promise<Response>;
}

/** Priority of the process of backfills: on a machine of their own, they would not delay the live clients. */
const BACKFILL_PRIORITY = 10;

/** Starts a script of this folder, which runs until the end of the tests. */
export function startLoadProcess<Command extends object>(script: 'live-clients' | 'backfill-clients'): LoadProcess<Command> {
  const path = fileURLToPath(new URL(`${script}.ts`, import.meta.url));
  const child = fork(path, { execArgv: ['--import', 'tsx'], serialization: 'advanced' });
  if (script === 'backfill-clients') setPriority(child.pid!, BACKFILL_PRIORITY);
  const exited = once(child, 'exit');
  stopAfterTests(async () => {
    child.disconnect();
    await exited;
  });
  return {
    send: (command) => void child.send(command),
    async request<Response>(command: Command): Promise<Response> {
      const response = once(child, 'message');
      child.send(command);
      const [result] = await Promise.race([
        response,
        exited.then(([code]) => Promise.reject(new Error(`${script} exited: ${code}`))),
      ]);
      return result as Response;
    },
  };
}
