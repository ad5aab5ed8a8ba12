import { spawn } from 'node:child_process';
import { startParentWatchdog } from '../../../devnet/src/parent-watchdog.ts';

/** A process whose child ignores SIGQUIT and holds its standard output open. Ends with SIGKILL once the child is watched and running. */
const [directory = ''] = process.argv.slice(2);
const watchdog = startParentWatchdog({ directory, signal: 'SIGQUIT' });
const script = "process.on('SIGQUIT', () => console.log('signal')); setInterval(() => {}, 1_000); console.log('running');";
const child = spawn(process.execPath, ['-e', script], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
watchdog.watch(child.pid!);
child.stdout.once('data', () => {
  process.stdout.write(`${child.pid}\n`, () => process.kill(process.pid, 'SIGKILL'));
});
