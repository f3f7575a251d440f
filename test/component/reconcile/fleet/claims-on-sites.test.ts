import type { EnvironmentStatus } from '../../../../lib/reconcile/status/environment-status.ts'
import type { Files } from '../../../support/builders/snapshot.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { Fleet } from './scene.ts'

const edges = 'system/type = edge'
const towers = 'system/type = control-tower'

/** `shop` and `board`, which both publish port 8080 of the host, each where its deployment says. */
function files(shop: string, board: string, version = '1'): Files {
  const services = [{ name: 'shop' }, { name: 'board' }]
  return {
    'environments/prod/manifest.json': JSON.stringify({ skipConfirmation: true, services }),
    ...publishing('shop', 's', shop),
    ...publishing('board', `b${version}`, board),
  }
}

function publishing(name: string, tag: string, expression: string): Files {
  return {
    [`applications/${name}.yaml`]: `name: ${name}
version: "${tag}"
services: [{name: ${name}, containers: [{name: web, image: "web:${tag}", ports: ["8080:80"]}]}]
`,
    [`deployments/${name}.yaml`]: `name: ${name}
application: ${name}
placement: {match-site-labels: ${expression}}
`,
  }
}

/** Looks until this runs on the sites, and that is wrong. */
async function until(fleet: Fleet, runs: string, wrong: readonly string[]): Promise<void> {
  let last: readonly unknown[] = []
  await waitUntil(`${runs}, and ${wrong}`, async () => {
    await fleet.daemon.pass()
    last = [fleet.runs(), await errorsOf(fleet)]
    return JSON.stringify(last) === JSON.stringify([runs, wrong])
  }).catch((cause: unknown) => {
    throw new Error(`it is ${JSON.stringify(last)}`, { cause })
  })
}

async function errorsOf(fleet: Fleet): Promise<readonly string[]> {
  const [environment]: readonly EnvironmentStatus[] = await fleet.daemon.ask('GET /api/v1/environments')
  return environment?.errors.map(({ message }) => message) ?? []
}

const meeting = (site: string) =>
  `applications/board.yaml:3:76: board claims host port 8080, which shop (applications/shop.yaml:3) claims on ${site}, too`

describe('two applications that publish one port on different sites', () => {
  it('D19 A20 both run, the later one waits as long as a commit makes them meet, and what runs stays', async () => {
    await using fleet = await Fleet.start(files(edges, towers))
    await until(fleet, 's s s s b1', [])
    fleet.commit(files(edges, `${towers} or try`, '2'))
    await until(fleet, 's s s s b1', [meeting('c')])
    fleet.commit(files(edges, towers, '2'))
    await until(fleet, 's s s s b2', [])
  })

  it('D19 A25 are told of a label that makes them meet, and go on once it was evaluated for both', async () => {
    await using fleet = await Fleet.start(files(edges, towers))
    await until(fleet, 's s s s b1', [])
    await fleet.relabel('b', { 'system/type': 'control-tower' })
    await until(fleet, 's s s s b1', [meeting('b')])
    fleet.commit(files(edges, towers, '2'))
    await until(fleet, 's s s s b1', [meeting('b')])
    await fleet.daemon.ask('POST /api/v1/redeploy', { deployment: 'shop', who: 'ann' })
    await until(fleet, 's - s s b2', [])
    await fleet.daemon.ask('POST /api/v1/redeploy', { deployment: 'board', who: 'ann' })
    await until(fleet, 's b2 s s b2', [])
  })

  it('D19 A25 do not meet where a commit exchanges their sites', async () => {
    await using fleet = await Fleet.start(files(edges, towers))
    await until(fleet, 's s s s b1', [])
    fleet.commit(files(towers, edges))
    await until(fleet, 'b1 b1 b1 b1 s', [])
  })
})
