import pLimit from 'p-limit'
import { engineCall } from '../support/engine-call.ts'
import { startGitServer } from '../support/git-server.ts'
import { pushImage } from '../support/images.ts'
import { startMachine } from '../support/machine.ts'
import { createRepository } from '../support/repository.ts'
import { beginSwarm, startSwarmEngine } from '../support/swarm.ts'
import { createTallyman } from '../support/tallyman.ts'

await using machine = await startMachine()
await using gitServer = await startGitServer()
const image = await pushImage(machine.registry, 'bench', '1', { env: { RELEASE: '1' } })
await using engine = await startSwarmEngine()
const { socket } = engine
await beginSwarm(socket)
const limit = pLimit(8)
const b = performance.now()
await Promise.all(
  Array.from({ length: 1000 }, (_, i) =>
    limit(async () => {
      const { status, body } = await engineCall(socket, 'POST', '/services/create', {
        Name: `other-${i}`,
        Labels: { 'com.example': 'x'.repeat(100), 'tallyman.environment': 'prod' },
        TaskTemplate: { ContainerSpec: { Image: image.pinned } },
        Mode: { Replicated: { Replicas: 0 } },
        EndpointSpec: {
          Ports: [{ Protocol: 'tcp', TargetPort: 80, PublishedPort: 20000 + i, PublishMode: 'host' }],
        },
      })
      if (status >= 300) throw new Error(body.toString())
    }),
  ),
)
console.log('1000 services of others', (performance.now() - b).toFixed(0), 'ms')
await using repository = await createRepository(gitServer)
const spec = (port: number) =>
  JSON.stringify({ services: { web: { image: image.pinned, ports: [`${port}:80`] } } })
await repository.commit({
  'environments/prod/manifest.json': JSON.stringify({
    services: [{ name: 'web', image: image.pinned, replicas: 1 }],
  }),
})
await using tallyman = await createTallyman(
  {
    repository: { url: repository.url },
    healthyTime: '0s',
    sites: [
      {
        name: 'cluster',
        endpoint: `unix://${socket}`,
        kind: 'swarm',
        endpointMode: 'dnsrr',
        publishMode: 'host',
      },
    ],
  },
  socket,
)
void spec
for (const args of [['plan'], ['apply', '--yes'], ['plan'], ['status']] as const) {
  const t = performance.now()
  const { code, stdout, stderr } = await tallyman.run(...args)
  console.log(
    args.join(' '),
    code,
    (performance.now() - t).toFixed(0),
    'ms\n',
    stdout.slice(0, 900),
    stderr.slice(0, 900),
  )
}
