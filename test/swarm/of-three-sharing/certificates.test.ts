import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { expect } from 'chai'
import { createIngressScene } from '../../scenes/ingress-scene.ts'
import { expectCode } from '../../scenes/plan-document.ts'
import { engineCall } from '../../support/engine/engine-call.ts'
import {
  changeNode,
  type SwarmNode,
  type SwarmOfNodes,
  swarmOfThree,
} from '../../support/engine/swarm-nodes.ts'
import { pushCaddy } from '../../support/images/caddy.ts'
import { authorityAs, rootOf } from '../../support/network/authority.ts'
import { ask } from '../../support/network/requests.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

const host = 'shop.example'

describe('certificates on a Docker Swarm of three nodes that share a directory', () => {
  const swarm = swarmOfThree()

  it('P33 G17 are obtained once for all nodes, and found again wherever the ingress goes', async () => {
    const [manager, , other] = swarm.nodes
    if (manager === undefined || other === undefined) throw new Error('there are three')
    await using shared = await mkdtempDisposable(join(tmpdir(), 'tallyman-certificates-'))
    await using authority = await startAuthority(manager, swarm)
    const [root, device] = [join(shared.path, 'root.pem'), join(shared.path, 'certificates')]
    await writeFile(root, authority.root)
    await mkdir(device)
    const cluster = {
      ...{ name: 'cluster', endpoint: `unix://${manager.socket}`, kind: 'swarm' },
      ...{ endpointMode: 'dnsrr', publishMode: 'host' },
      ingress: { storage: { driver_opts: { type: 'none', o: 'bind', device } } },
    }
    await using scene = await createIngressScene(
      {
        acme: { directory: authority.directory, root },
        ...{ http: { port: 80 }, https: { port: 443 }, environments: {} },
      },
      { commands: 'here', small: true, machine: swarm.machine, sites: [cluster] },
    )
    const release = (version: string, ...paths: readonly string[]) =>
      scene.release({
        name: 'shop',
        version,
        routes: paths.map(path => ({ host, path, tls: 'auto' })),
        checkedEvery: '3s',
      })
    const answerAt = ({ address }: SwarmNode, path: string) =>
      ask({ address, port: 443, host, path, authority: authority.root })

    await release('1', '/')
    expectCode(await scene.tallyman.run('apply'), 0)
    const serialAt = ({ address }: SwarmNode) =>
      waitUntil('it has a certificate', () => serialOf(address, authority.root))
    const serial = await serialAt(manager)
    for (const node of swarm.nodes) {
      expect(await serialAt(node), node.address).to.equal(serial)
      expect((await answerAt(node, '/')).body, node.address).to.equal('1')
    }

    // Nobody signs another one from here on.
    await authority.remove()
    await release('1', '/', '/more')
    expectCode(await scene.tallyman.run('apply'), 0)
    for (const node of swarm.nodes) {
      expect(await serialAt(node), 'of another task').to.equal(serial)
      await waitUntil('it knows the route', async () => (await answerAt(node, '/more')).body === '1')
    }

    await changeNode(manager, other, { Availability: 'drain' })
    await waitUntil('it has left', async () => (await serialOf(other.address, authority.root)) === undefined)
    await changeNode(manager, other, { Availability: 'active' })
    expect(await serialAt(other), 'of a task that came back').to.equal(serial)
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
  })
})

/** Another Caddy, on an engine beside its Swarm, that asks the first node on which the ingress runs whose the host is. */
async function startAuthority(
  { socket, address }: SwarmNode,
  { nodes, registry }: Pick<SwarmOfNodes, 'nodes' | 'registry'>,
) {
  const [port, container] = [14_000, 'authority']
  const { pinned } = await pushCaddy(registry, container, '2')
  const post = async (path: string, body?: object) => {
    const answer = await engineCall(socket, 'POST', path, body)
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.body.toString()}`)
  }
  await post(`/images/create?fromImage=${encodeURIComponent(pinned)}`)
  await post(`/containers/create?name=${container}`, {
    Image: pinned,
    ...authorityAs(address, 'http-01'),
    ExposedPorts: { '443/tcp': {} },
    HostConfig: {
      ExtraHosts: nodes.toReversed().map(node => `${host}:${node.address}`),
      PortBindings: { '443/tcp': [{ HostPort: String(port) }] },
    },
  })
  await post(`/containers/${container}/start`)
  const remove = () => engineCall(socket, 'DELETE', `/containers/${container}?force=true`)
  return {
    directory: `https://${address}:${port}/acme/local/directory`,
    root: await rootOf(socket, container),
    remove,
    [Symbol.asyncDispose]: async () => void (await remove()),
  }
}

/** The serial number of the certificate that a node shows for the host; undefined if it shows none of this authority. */
function serialOf(address: string, ca: string): Promise<string | undefined> {
  return new Promise(resolve => {
    const socket = connect({ host: address, port: 443, servername: host, ca, timeout: 5_000 })
    const end = (serial?: string) => {
      socket.destroy()
      resolve(serial)
    }
    socket
      .on('secureConnect', () => end(socket.getPeerCertificate().serialNumber))
      .on('error', () => end())
      .on('timeout', () => end())
  })
}
