import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Daemon, Tallyman } from '../support/command/tallyman.ts'
import type { Repository } from '../support/git/repository.ts'
import type { PushedImage } from '../support/images/images.ts'
import type { Stage } from './stage.ts'

/** What the story is told with. */
export type Cast = {
  readonly stage: Stage
  readonly repository: Repository
  readonly tallyman: Tallyman
  readonly environment: string
  /** Two versions of the image `shop`. */
  readonly versions: readonly [PushedImage, PushedImage]
}

/** The whole story; ends early when somebody does not say yes. */
export async function tell(cast: Cast): Promise<void> {
  const { stage, repository, tallyman, versions } = cast
  const [first, second] = versions

  stage.heading('A git repository says what runs, and a daemon watches it')
  const started = await repository.commit(manifest(cast, '1.0.0', first.digest), 'Open the shop', {
    author: 'Ada <ada@example.com>',
  })
  stage.show(`cat ${file(cast)}`, await repository.git('show', `HEAD:${file(cast)}`))
  await showCommit(cast)
  stage.show('cat tallyman.yaml', await readFile(join(tallyman.directory, 'tallyman.yaml'), 'utf8'))
  const daemon = await tallyman.daemon()
  stage.show('tallyman daemon &', '')
  stage.say('\nIt has made a plan, and waits for a yes:')
  if (!(await deploy(cast, daemon, started))) return

  stage.heading('Merging deploys')
  const updated = await repository.commit(manifest(cast, '1.1.0', second.digest), 'Sell umbrellas', {
    author: 'Grace <grace@example.com>',
  })
  await showChange(cast)
  if (!(await deploy(cast, daemon, updated))) return

  stage.heading('Reverting rolls back')
  const reverted = await repository.revert(updated)
  stage.show('git revert --no-edit HEAD && git push', '')
  await showCommit(cast)
  if (!(await deploy(cast, daemon, reverted))) return

  stage.heading('A digest that does not fit is refused')
  stage.say('Tag 1.1.0 now comes with the digest of 1.0.0: a typing error, or somebody moved the tag.')
  const wrong = await repository.commit(manifest(cast, '1.1.0', first.digest), 'Sell umbrellas again', {
    author: 'Mallory <mallory@example.com>',
  })
  await showChange(cast)
  await daemon.until('the daemon refuses', seen => seen.revision?.commit === wrong && !seen.running)
  await stage.tallyman('plan')
  stage.say('\nWhat ran before runs on, untouched:')
  await stage.tallyman('status')

  stage.heading('The log answers who, what, when and why')
  await stage.tallyman('log')
}

/** Shows the waiting plan, asks, approves it by its id, and waits until it is done. */
async function deploy({ stage }: Cast, daemon: Daemon, commit: string): Promise<boolean> {
  const { waiting } = await daemon.until(
    'a plan waits',
    seen => seen.revision?.commit === commit && seen.waiting !== undefined,
  )
  await stage.tallyman('plan')
  if (waiting === undefined || !(await stage.agrees('Approve this plan?'))) {
    stage.say('\nThen nothing is done, and the demo ends here.')
    return false
  }
  await stage.tallyman('approve', waiting.plan)
  await daemon.until(
    'the plan is applied',
    seen => seen.revision?.commit === commit && seen.sync === 'Synced' && !seen.running,
  )
  await stage.tallyman('status')
  return true
}

function manifest(
  { environment }: Cast,
  dockerTag: string,
  dockerDigest: string,
): Readonly<Record<string, string>> {
  const services = [{ name: 'shop', version: dockerTag, containers: [{ dockerTag, dockerDigest }] }]
  return { [`environments/${environment}/manifest.json`]: `${JSON.stringify({ services }, undefined, 2)}\n` }
}

function file({ environment }: Cast): string {
  return `environments/${environment}/manifest.json`
}

async function showCommit({ stage, repository }: Cast): Promise<void> {
  const format = '--format=%h %an: %s'
  stage.show('git log -1', await repository.git('log', '-1', format))
}

/** The last commit: who, why, and the lines that changed. */
async function showChange({ stage, repository }: Cast): Promise<void> {
  const text = await repository.git('show', '--unified=0', '--format=%h %an: %s', 'HEAD')
  const lines = text.split('\n').filter(line => /^\S+ \S+: |^[-+] /.test(line))
  stage.show('git commit && git push && git show', lines.join('\n'))
}
