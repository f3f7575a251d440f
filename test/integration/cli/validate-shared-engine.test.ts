import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { stringify } from 'yaml'
import { createTallymanHere } from '../../support/command/tallyman-here.ts'

const manager = 'ssh://deploy@manager.example.com'
const ssh = { keyFile: '/etc/tallyman/site-key', knownHostsFile: '/etc/tallyman/known_hosts' }

/** An application whose service publishes port 8080, once or on each node. */
function publishing(name: string, mode: 'replicated' | 'global' = 'replicated') {
  const containers = [{ name: 'app', image: 'web:1', ports: ['8080:80'] }]
  const network = { 'outbound-access': { 'allow-all': true } }
  return stringify({ name, version: '1', services: [{ name: 'web', mode, network, containers }] })
}

/** What validate says of these files in an environment with a Swarm and a host. */
async function said(
  files: Readonly<Record<string, string>>,
  swarm: object = { endpoint: manager },
  host: object = {},
): Promise<string> {
  await using tallyman = await createTallymanHere(
    {
      repository: { url: 'https://git.example.com/shop.git' },
      sites: [
        { name: 'cluster', kind: 'swarm', ssh, ...swarm },
        { name: 'machine', kind: 'host', endpoint: manager, ssh, ...host },
      ],
      ingress: { image: 'caddy:2' },
    },
    '/dev/null',
  )
  const names = Object.keys(files).flatMap(path => /^applications\/(.+)\.yaml$/.exec(path)?.[1] ?? [])
  const manifest = JSON.stringify({ services: names.map(name => ({ name })) })
  const all = { ...files, 'environments/prod/manifest.json': manifest }
  const root = join(tallyman.directory, 'files')
  for (const [path, content] of Object.entries(all)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  const { code, stdout, stderr } = await tallyman.run('validate', root)
  expect(code, stdout + stderr).to.equal(0)
  return stdout + stderr
}

describe('tallyman validate where a Swarm and a host are one engine', () => {
  const shop = { 'applications/shop.yaml': publishing('shop') }
  const words =
    'on cluster, shop/web publishes host port 8080, and so does it on machine, which is the same engine'
  const deployed = (site: string) => ({
    ...shop,
    'deployments/shop.yaml': stringify({
      ...{ name: 'shop', application: 'shop' },
      placement: { 'match-site-labels': `system/name = ${site}` },
    }),
  })

  it('G1 warns of a port that both publish, by whichever manager', async () => {
    expect(await said(shop)).to.include(words)
    const other = { endpoint: 'ssh://deploy@other.example.com', managers: [manager] }
    expect(await said(shop, other)).to.include(words)
    expect(await said(shop, {}, { endpoint: undefined }), 'both have none').to.include(words)
  })

  it('G1 P33 warns of the ports of the ingress, unless that of the Swarm has nodes of its own', async () => {
    const ingress = [{ host: 'shop.example.com', port: 80, tls: 'off' }]
    const containers = [{ name: 'app', image: 'web:1' }]
    const routed = stringify({ name: 'shop', version: '1', services: [{ name: 'web', ingress, containers }] })
    const files = { 'applications/shop.yaml': routed }
    const clash = (port: number) =>
      `on cluster, the ingress publishes host port ${port}, and so does it on machine, which is the same engine`
    const all = await said(files)
    for (const port of [80, 443]) expect(all).to.include(clash(port))
    const nodes = { endpoint: manager, publishMode: 'host', ingress: { nodeLabels: { edge: 'yes' } } }
    expect(await said(files, nodes)).to.not.include('same engine')
    expect(await said(shop)).to.not.include('the ingress')
  })

  it('G1 says nothing of a port that only one of them has, or that is on other nodes or engines', async () => {
    const other = { endpoint: 'ssh://deploy@other.example.com' }
    const [onNodes, environments] = [{ endpoint: manager, publishMode: 'host' }, ['test']]
    expect(await said(shop, other)).to.not.include('same engine')
    expect(await said(deployed('cluster'))).to.not.include('same engine')
    expect(await said(deployed('machine'))).to.not.include('same engine')
    expect(await said(shop, { endpoint: manager, environments })).to.not.include('same engine')
    expect(await said(shop, onNodes), 'nobody knows on which nodes').to.not.include('same engine')
    const every = { 'applications/shop.yaml': publishing('shop', 'global') }
    expect(await said(every, onNodes), 'on each').to.include(words)
  })
})
