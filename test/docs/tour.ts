import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LogEntry } from '../../lib/journal/history/history.ts'
import { cleanUp, removeImages } from '../support/engine/clean-up.ts'
import { engineCall } from '../support/engine/engine-call.ts'
import { git } from '../support/git/git.ts'
import { pushImage } from '../support/images/images.ts'
import { startRegistry } from '../support/images/registry.ts'
import { runningSocket } from '../support/suite/env.ts'
import { waitUntil } from '../support/time/wait-until.ts'
import { plainText, svgOf } from './svg.ts'

/**
 * Takes the tour of the README on a real engine and writes what tallyman prints to docs/tour: `node test/docs/tour.ts`.
 * Beside each screen it writes the value that the screen shows to docs/tour/values, so that a test without an engine can
 * tell when a screen would be printed differently. Afterwards `node test/docs/fill.ts` puts the new texts into the
 * documents.
 */
const root = join(import.meta.dirname, '../..')
const socket = runningSocket()
const environment = 'prod'
/** What docs/tour/tallyman.yaml calls the repository: others may have a `prod` here, too. */
const source = 'tallyman-tour'
const author = { GIT_AUTHOR_NAME: 'you', GIT_AUTHOR_EMAIL: 'you@example.com' }
const committer = { GIT_COMMITTER_NAME: 'you', GIT_COMMITTER_EMAIL: 'you@example.com' }

const place = await mkdtemp(join(tmpdir(), 'tallyman-tour-'))
const manifests = join(place, 'manifests')
const manifest = `environments/${environment}/manifest.json`

{
  await using registry = await startRegistry({ port: 5000 })
  await using _images = { [Symbol.asyncDispose]: () => removeImages(socket, 'localhost:5000/web') }
  await using _containers = cleanUp(socket, source, 'tallyman.source')
  for (const tag of ['1', '2']) await pushImage(registry, 'web', tag, { labels: { tag } })
  await pushImage(registry, 'web', '3', { cmd: ['false'], labels: { tag: '3' } })
  await prepare()
  const daemon = startDaemon()
  try {
    await take(daemon)
  } catch (error) {
    process.stderr.write(daemon.lines())
    throw error
  } finally {
    daemon.child.kill('SIGTERM')
    await daemon.ended
  }
  await keep('daemon', daemon.lines())
}
await rm(place, { recursive: true, force: true })

async function prepare(): Promise<void> {
  await mkdir(join(root, 'docs/tour/values'), { recursive: true })
  await mkdir(join(manifests, 'environments', environment), { recursive: true })
  await copyFile(join(root, 'fixtures/tour', manifest), join(manifests, manifest))
  await copyFile(join(root, 'docs/tour/tallyman.yaml'), join(place, 'tallyman.yaml'))
  await git(manifests, ['init', '--quiet', '--initial-branch', 'main'])
  await commit('Run web 1')
}

/** The tour itself, in the order of the README. */
async function take(daemon: Daemon): Promise<void> {
  const first = await waitingPlan(daemon)
  await keep('first-plan', await tallyman('plan'))
  await tallyman('approve', first)
  await settled(1)
  await screen('status', ['status'])

  await useTag('2')
  await commit('Run web 2')
  await tallyman('reconcile')
  const second = await waitingPlan(daemon, first)
  await picture('plan', ['plan'], 'tallyman plan: two instances of web are replaced')
  await keep('plan', await tallyman('plan', '--output', 'json'), 'json')
  await tallyman('approve', second)
  await settled(2)

  await useTag('3')
  await commit('Run web 3')
  await tallyman('reconcile')
  await tallyman('approve', await waitingPlan(daemon, second))
  await waitUntil('the rollback', async () => (await tallyman('log')).includes('rolled-back'))
  await waitUntil('the pass after it', async () => (await tallyman('status')).includes('quarantined'))
  await screen('broken', ['status'])

  await git(manifests, ['revert', '--no-edit', 'HEAD'], { ...author, ...committer })
  await tallyman('reconcile')
  await settled(2)

  const [container = ''] = await containers()
  await engineCall(socket, 'POST', `/containers/${container}/stop`)
  await waitUntil('the repair', async () => (await tallyman('log')).split(' applied ').length === 4)
  await settled(2)
  await screen('log', ['log'], 'tallyman log: who changed what, when, and what came of it')
  const repair = /#(\d+)/.exec(await tallyman('log'))?.[1] ?? ''
  await screen('show', ['show', repair])
  await keep('values/first-plan', await shownBy(['show', await passOfPlan(first)]), 'json')
  await keep('values/plan', await shownBy(['show', await passOfPlan(second)]), 'json')
}

async function useTag(tag: string): Promise<void> {
  const text = await readFile(join(root, 'fixtures/tour', manifest), 'utf8')
  await writeFile(join(manifests, manifest), text.replaceAll('"dockerTag": "1"', `"dockerTag": "${tag}"`))
}

async function commit(subject: string): Promise<void> {
  await git(manifests, ['add', '--all'])
  await git(manifests, ['commit', '--quiet', '--message', subject], { ...author, ...committer })
}

/** The id of the plan that waits, once another than the one before does. */
function waitingPlan(daemon: Daemon, before = ''): Promise<string> {
  return waitUntil('a plan that waits', () => {
    const id = [...daemon.lines().matchAll(/tallyman approve (\w+)/g)].at(-1)?.[1]
    return id === before ? undefined : id
  })
}

/** Everything runs as wanted: two of two with that tag, nothing under way. */
function settled(tag: number): Promise<unknown> {
  const row = new RegExp(`web +local +Synced +Healthy +${tag} +2/2`)
  return waitUntil('everything runs', async () => row.test(await tallyman('status')))
}

async function containers(): Promise<readonly string[]> {
  const filters = encodeURIComponent(JSON.stringify({ label: [`tallyman.source=${source}`] }))
  const answer = await engineCall(socket, 'GET', `/containers/json?filters=${filters}`)
  return JSON.parse(answer.body.toString()).map(({ Id }: { readonly Id: string }) => Id)
}

/** What a command prints; which configuration it takes it says on the other stream. */
async function tallyman(...args: readonly string[]): Promise<string> {
  return output(spawn(join(root, 'bin/tallyman'), args, { cwd: place, stdio: ['ignore', 'pipe', 'ignore'] }))
}

/** The same on a terminal, with its colors. */
async function onTerminal(...args: readonly string[]): Promise<string> {
  const command = [join(root, 'bin/tallyman'), ...args, '2>/dev/null'].join(' ')
  return output(
    spawn('script', ['-qec', command, '/dev/null'], { cwd: place, stdio: ['ignore', 'pipe', 'pipe'] }),
  )
}

async function output(child: ChildProcess): Promise<string> {
  const chunks: Buffer[] = []
  child.stdout?.on('data', chunk => chunks.push(chunk))
  child.stderr?.on('data', chunk => chunks.push(chunk))
  await once(child, 'close')
  return Buffer.concat(chunks).toString()
}

type Daemon = {
  readonly child: ChildProcess
  readonly ended: Promise<unknown>
  readonly lines: () => string
}

function startDaemon(): Daemon {
  const stdio = ['ignore', 'ignore', 'pipe'] as const
  const env = { ...process.env, TALLYMAN_LOG_FORMAT: 'pretty' }
  const child = spawn(join(root, 'bin/tallyman'), ['daemon'], { cwd: place, env, stdio: [...stdio] })
  let text = ''
  child.stderr?.on('data', chunk => {
    text += chunk
  })
  return { child, ended: once(child, 'exit'), lines: () => text }
}

/** What a command prints, and the value that it shows: both are taken while nothing changes. */
async function screen(name: string, args: readonly string[], title?: string): Promise<void> {
  const value = await shownBy(args)
  if (title === undefined) await keep(name, await tallyman(...args))
  else await picture(name, args, title)
  if ((await shownBy(args)) !== value) return screen(name, args, title)
  await keep(`values/${name}`, value, 'json')
}

function shownBy(args: readonly string[]): Promise<string> {
  return tallyman(...args, '--output', 'json')
}

/** The first pass that showed a plan, by the id of the plan. */
async function passOfPlan(id: string): Promise<string> {
  const entries: readonly LogEntry[] = JSON.parse(await shownBy(['log']))
  return String(entries.findLast(({ planId }) => planId === id)?.passId)
}

async function picture(name: string, args: readonly string[], title: string): Promise<void> {
  const terminal = await onTerminal(...args)
  await writeFile(join(root, `docs/tour/${name}.svg`), svgOf(anywhere(terminal), title))
  await keep(name, terminal)
}

async function keep(name: string, terminal: string, form = 'txt'): Promise<void> {
  const text = anywhere(plainText(terminal)).trimEnd()
  await writeFile(join(root, `docs/tour/${name}.${form}`), `${text}\n`)
}

/** The tour may be taken in any directory. */
function anywhere(text: string): string {
  return text.replaceAll(place, '/srv/tour')
}
