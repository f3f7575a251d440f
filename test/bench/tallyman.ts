import { httpLoginOf } from '../../lib/git/remote/credentials.ts'
import { openServer } from '../../lib/git/remote/server.ts'
import { createTallyman, type TallymanConfig } from '../support/command/tallyman.ts'
import { cleanUp } from '../support/engine/clean-up.ts'
import type { GitServer } from '../support/git/git-server.ts'
import { createRepository, type Files } from '../support/git/repository.ts'
import { uniqueName } from '../support/suite/env.ts'
import { type MeasuredDaemon, startDaemon } from './daemon.ts'
import { timed } from './report/statistics.ts'
import type { Subject } from './report/subject.ts'
import { manifestOf, type Workload } from './report/workload.ts'

/** Where tallyman finds everything. */
export type Surroundings = { readonly dockerSocket: string; readonly gitServer: GitServer }

/** A daemon on an environment of its own, to which files can be committed. */
export type MeasuredEnvironment = AsyncDisposable & {
  readonly daemon: MeasuredDaemon
  /** Its name, and that of its network. */
  readonly environment: string
  /** Commits files of the environment's directory; from the word that there is a new commit to the end of its pass. */
  bring(files: Files): Promise<number>
  /** Asks the git server for the ref, as each look of a daemon does. */
  lookUp(): Promise<number>
}

export type DaemonSubject = Subject & Pick<MeasuredEnvironment, 'daemon' | 'environment' | 'lookUp'>

/** How workloads are written down, and what `tallyman.yaml` says besides. */
export type Written = {
  /** In the environment's directory. */
  readonly files: (workload: Workload) => Files
  readonly config?: TallymanConfig
}

const asManifest: Written = { files: workload => ({ 'manifest.json': manifestOf(workload) }) }

/** The daemon: from the word that there is a new commit to the end of the pass that brought it about. */
export async function tallymanDaemon(
  surroundings: Surroundings,
  healthyTime: string,
  { files, config = {} }: Written = asManifest,
): Promise<DaemonSubject> {
  const { bring, daemon, ...measured } = await measuredEnvironment(surroundings, { healthyTime, ...config })
  return { ...measured, daemon, bring: workload => bring(files(workload)), look: () => daemon.pass() }
}

/** `config` is what `tallyman.yaml` says besides where everything is. */
export async function measuredEnvironment(
  { dockerSocket, gitServer }: Surroundings,
  config: TallymanConfig,
): Promise<MeasuredEnvironment> {
  const environment = uniqueName('bench')
  await using stack = new AsyncDisposableStack()
  const cleaning = cleanUp(dockerSocket, environment)
  stack.use(cleaning)
  const repository = stack.use(await createRepository(gitServer))
  const commit = (files: Files) =>
    repository.commit(
      Object.fromEntries(
        Object.entries(files).map(([path, text]) => [`environments/${environment}/${path}`, text]),
      ),
    )
  await commit({ 'manifest.json': manifestOf([]) })
  const written = { repository: { url: repository.url }, poll: '1h', ...config }
  const { directory } = stack.use(await createTallyman(written, dockerSocket))
  const daemon = stack.use(await startDaemon(directory, dockerSocket))
  const parts = stack.move()
  const server = openServer(repository.url, httpLoginOf({}, { username: '', password: '' }))
  const { signal } = new AbortController()
  return {
    daemon,
    environment,
    lookUp: () => timed(() => server.find(['HEAD'], signal)),
    async bring(files) {
      await commit(files)
      await daemon.quiet()
      const ms = await timed(async () => {
        const applied = daemon.applied()
        await Promise.all([daemon.reconcile(), applied])
      })
      await daemon.quiet()
      return ms
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

/** The command line: `tallyman apply --yes`, start of the process and all. */
export async function tallymanCommand(
  { dockerSocket, gitServer }: Surroundings,
  healthyTime: string,
): Promise<Subject> {
  const environment = uniqueName('bench')
  await using stack = new AsyncDisposableStack()
  const cleaning = cleanUp(dockerSocket, environment)
  stack.use(cleaning)
  const repository = stack.use(await createRepository(gitServer))
  const config = { repository: { url: repository.url }, healthyTime }
  const tallyman = stack.use(await createTallyman(config, dockerSocket))
  const parts = stack.move()
  const apply = () =>
    timed(async () => {
      const { code, stderr } = await tallyman.run('apply', '--yes')
      if (code !== 0) throw new Error(`tallyman apply: ${stderr}`)
    })
  return {
    async bring(workload: Workload) {
      await repository.commit({ [`environments/${environment}/manifest.json`]: manifestOf(workload) })
      return apply()
    },
    look: apply,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}
