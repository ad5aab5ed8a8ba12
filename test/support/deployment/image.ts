import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Copy, DockerfileParser, type Instruction } from 'dockerfile-ast';
import { createTemporaryFolder } from '../cleanups.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** What `npm ci --ignore-scripts` installs for the build is already installed in the repository. */
const INSTALL_COMMAND = 'npm ci --ignore-scripts';

/** The files of an image below a folder that stands for `/`, and how a container of it starts. */
export interface Image {
  readonly root: string;
  readonly workdir: string;
  readonly user: string;
  readonly env: Readonly<Record<string, string>>;
  readonly exposed: readonly string[];
  readonly stopSignal: string;
  readonly healthcheck: readonly string[];
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
}

interface Stage extends Image {
  readonly name: string | undefined;
}

/**
 * Executes the Dockerfile without a container engine: copies the files that .dockerignore admits, and runs the commands in a temporary
 * folder. With `install` it also installs the packages; otherwise it uses the packages of the repository.
 */
export function buildImage({ install }: { readonly install: boolean }): Image {
  const folder = createTemporaryFolder();
  // The user of the image must reach its files.
  chmodSync(folder, 0o755);
  const context = join(folder, 'context');
  copyContext(context);
  const stages: Stage[] = [];
  const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    const keyword = instruction.getKeyword();
    if (keyword === 'ARG') continue;
    if (keyword === 'FROM') stages.push(startStage(instruction, join(folder, `stage-${stages.length}`)));
    else Object.assign(stages.at(-1)!, execute(instruction, stages.at(-1)!, { context, stages, install }));
  }
  return stages.at(-1)!;
}

/** Copies the tracked files that .dockerignore admits: it excludes everything, then lists what is included. */
function copyContext(context: string): void {
  const rules = readFileSync(join(ROOT, '.dockerignore'), 'utf8').match(/^[^#\s].*$/gm) ?? [];
  const [first, ...included] = rules;
  if (first !== '*' || !included.every((rule) => rule.startsWith('!')))
    throw new Error('.dockerignore is not a list of "!" after "*"');
  const files = execFileSync('git', ['ls-files', '-z', '--', ...included.map((rule) => rule.slice(1))], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  for (const file of files.split('\0').filter(Boolean)) cpSync(join(ROOT, file), join(context, file));
}

function startStage(instruction: Instruction, root: string): Stage {
  mkdirSync(root);
  const [, as, name] = instruction.getArguments().map((argument) => argument.getValue());
  const config = {
    workdir: '/',
    user: '0',
    env: {},
    exposed: [],
    stopSignal: 'SIGTERM',
    healthcheck: [],
    entrypoint: [],
    command: [],
  };
  return { name: as === 'AS' ? name : undefined, root, ...config };
}

/** Executes an instruction and returns its changes to the stage. */
function execute(
  instruction: Instruction,
  stage: Stage,
  { context, stages, install }: { context: string; stages: readonly Stage[]; install: boolean },
): Partial<Stage> {
  const words = instruction.getArguments().map((argument) => argument.getValue());
  const workdir = join(stage.root, stage.workdir);
  switch (instruction.getKeyword()) {
    case 'WORKDIR':
      mkdirSync(join(stage.root, words[0]!), { recursive: true });
      return { workdir: words[0]! };
    case 'COPY':
      copy(instruction as Copy, words, { workdir, context, stages });
      return {};
    case 'RUN':
      run(instruction.getArgumentsContent()!, workdir, install);
      return {};
    case 'ENV':
      return { env: { ...stage.env, ...Object.fromEntries(words.map((word) => word.split('=') as [string, string])) } };
    case 'USER':
      return { user: words[0]! };
    case 'EXPOSE':
      return { exposed: words };
    case 'STOPSIGNAL':
      return { stopSignal: words[0]! };
    case 'HEALTHCHECK':
      return { healthcheck: execForm(instruction) };
    case 'ENTRYPOINT':
      return { entrypoint: execForm(instruction) };
    case 'CMD':
      return { command: execForm(instruction) };
    default:
      throw new Error(`the Dockerfile has an instruction that this test does not execute: ${instruction.getKeyword()}`);
  }
}

/** The words of the exec form, a JSON array. The shell form needs a shell, which forwards no signals. */
const execForm = (instruction: Instruction): string[] => JSON.parse(/\[.*\]/s.exec(instruction.getRawArgumentsContent()!)![0]);

function copy(
  instruction: Copy,
  words: readonly string[],
  { workdir, context, stages }: { workdir: string; context: string; stages: readonly Stage[] },
): void {
  const from = instruction.getFromFlag()?.getValue();
  const source = from ? stages.find(({ name }) => name === from)!.root : context;
  const paths = words.slice(0, -1);
  const target = words.at(-1)!;
  for (const path of paths) {
    const to = join(workdir, target, target.endsWith('/') && path !== '.' ? path.split('/').at(-1)! : '');
    mkdirSync(dirname(resolve(to)), { recursive: true });
    cpSync(join(source, path), to, { recursive: true, verbatimSymlinks: true });
  }
}

function run(command: string, cwd: string, install: boolean): void {
  if (command === INSTALL_COMMAND && !install) {
    symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
    return;
  }
  // Without the variables of the test run: NODE_ENV=production would omit the packages of the build.
  const { PATH, HOME } = process.env;
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd, env: { PATH, HOME }, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} has failed: ${stdout}${stderr}`);
}
