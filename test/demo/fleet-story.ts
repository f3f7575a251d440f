import { stringify } from 'yaml'
import { printed } from '../../lib/cli/output/printed.ts'
import { table } from '../../lib/cli/output/table.ts'
import type { DeploymentStatus } from '../../lib/reconcile/status/deployment/deployment-status.ts'
import { readText } from '../docs/documents.ts'
import { containersOf, jsonText } from '../scenes/scene.ts'
import type { Daemon } from '../support/command/tallyman.ts'
import { type Fleet, shopVersions } from './fleet.ts'
import type { Stage } from './stage.ts'

/** What the story of four engines is told with. */
export type FleetCast = Omit<Fleet, keyof AsyncDisposable> & { readonly stage: Stage }

/** The whole story; ends early when somebody does not say yes. */
export async function tellOfFleet(cast: FleetCast): Promise<void> {
  const { stage, repository, sites } = cast
  const [good, bad] = shopVersions

  stage.heading('Four engines, and a file that says how a version reaches them')
  stage.show('cat tallyman.yaml', stringify({ sites }))
  stage.show(`cat ${deploymentFile}`, deployment)
  await release(cast, good, 'Open the shop')
  const daemon = await cast.tallyman.daemon()
  stage.show('tallyman daemon &', '')
  stage.say('\nOne plan for all four engines waits for a yes:')
  if (!(await approvePlan(cast, daemon))) return

  stage.heading('The canary gets it first')
  const { approve } = await until(daemon, 'the canary is healthy', seen => seen.approve !== undefined)
  await stage.tallyman('status')
  await stage.tallyman('deployment', 'shop')
  if (approve === undefined || !(await stage.agrees('Let the others follow?'))) return refused(cast)

  stage.heading('The others follow one by one')
  await stage.tallyman('approve', approve)
  await until(daemon, 'the second of them', seen => seen.state === 'proving' && seen.sites.done === 3)
  await stage.tallyman('deployment', 'shop')
  await until(daemon, 'all sites have it', seen => seen.state === 'done')
  await stage.tallyman('status')
  await showContainers(cast)

  stage.heading('A bad version stops at the canary')
  await release(cast, bad, 'Sell umbrellas')
  if (!(await approvePlan(cast, daemon))) return
  await until(daemon, 'the deployment ends', seen => seen.state === 'aborted')
  await daemon.until('the canary has what it had', isIdle)
  await stage.tallyman('deployment', 'shop')

  stage.heading('A revert ends it')
  await repository.revert(await repository.head())
  stage.show('git revert --no-edit HEAD && git push', '')
  await until(daemon, 'the version before', seen => seen.version === good && seen.state === 'done')
  await daemon.until('nothing is left to do', seen => isIdle(seen) && seen.sync === 'Synced')
  await stage.tallyman('status')
  stage.say('\nCompare the containers with those above:')
  await showContainers(cast)
}

const deploymentFile = 'deployments/shop.yaml'

const deployment = readText('docs/tour/fleet-deployment.yaml')

async function release(cast: FleetCast, version: string, message: string): Promise<void> {
  const { repository, stage, environment } = cast
  const services = [{ name: 'shop', version, containers: [{ dockerTag: version }] }]
  const files = {
    [deploymentFile]: deployment,
    [`environments/${environment}/manifest.json`]: jsonText({ services }),
  }
  await repository.commit(files, message, { author: 'you <you@example.com>' })
  stage.show('git log -1', await repository.git('log', '-1', '--format=%h %an: %s'))
}

/** Shows the plan that waits once all sites are in it, asks, and approves it by its id. */
async function approvePlan(cast: FleetCast, daemon: Daemon): Promise<boolean> {
  const { stage, repository, sites } = cast
  const commit = await repository.head()
  const { waiting } = await daemon.until(
    'a plan for all sites waits',
    seen =>
      seen.revision?.commit === commit &&
      seen.waiting !== undefined &&
      isIdle(seen) &&
      seen.applications.length === sites.length &&
      seen.applications.every(({ sync }) => sync === 'OutOfSync'),
  )
  await stage.tallyman('plan')
  if (waiting === undefined || !(await stage.agrees('Approve this plan?'))) {
    refused(cast)
    return false
  }
  await stage.tallyman('approve', waiting.plan)
  return true
}

function refused({ stage }: FleetCast): void {
  stage.say('\nThen nothing more is done, and the demo ends here.')
}

/** Waits until the only deployment is so, and returns it. */
async function until(
  daemon: Daemon,
  what: string,
  check: (seen: DeploymentStatus) => boolean,
): Promise<DeploymentStatus> {
  const { deployments } = await daemon.until(
    what,
    ({ deployments: [only] = [] }) => only !== undefined && check(only),
  )
  const [only] = deployments ?? []
  if (only === undefined) throw new Error(`${what}: there is no deployment`)
  return only
}

function isIdle({ running }: { readonly running?: unknown }): boolean {
  return running === undefined
}

/** What the four engines themselves say. */
async function showContainers({ stage, sites, environment }: FleetCast): Promise<void> {
  const rows = await Promise.all(
    sites.map(async ({ name, endpoint }) => {
      const all = await containersOf(endpoint.slice('unix://'.length), environment)
      return all.map(({ id, state, labels }) => [
        name,
        id.slice(0, 12),
        `shop:${(labels['tallyman.image'] ?? '').split(':').at(-1)}`,
        state,
      ])
    }),
  )
  stage.show(
    'docker ps, on each of them',
    printed(table(['site', 'container', 'image', 'state'], rows.flat()), false),
  )
}
