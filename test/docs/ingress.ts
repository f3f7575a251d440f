import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTallyman } from '../support/command/tallyman.ts'
import { cleanUp, removeImages } from '../support/engine/clean-up.ts'
import { git } from '../support/git/git.ts'
import { pushCaddy } from '../support/images/caddy.ts'
import { pushImage } from '../support/images/images.ts'
import { startRegistry } from '../support/images/registry.ts'
import { ask } from '../support/network/requests.ts'
import { runningSocket } from '../support/suite/env.ts'
import { waitUntil } from '../support/time/wait-until.ts'

/**
 * Runs fixtures/routes on a real engine and writes what tallyman prints of its ingress to docs/examples:
 * `node test/docs/ingress.ts`. Afterwards `node test/docs/fill.ts` puts the new texts into docs/ingress.md. Needs the
 * ports 80, 443 and 5000 of the loopback.
 */
const root = join(import.meta.dirname, '../..')
const socket = runningSocket()
/** Others may have a `prod` on this engine, too. */
const source = 'tallyman-documents'
const local = (port: number) => ({ port, addresses: ['127.0.0.1'] })
const own = (name: string) => join(root, 'fixtures/ingress', name)

await using registry = await startRegistry({ port: 5000 })
const removeAll = () =>
  Promise.all(['sandbox', 'caddy', 'shop'].map(one => removeImages(socket, `localhost:5000/${one}`)))
await using _images = {
  async [Symbol.asyncDispose]() {
    await removeAll()
  },
}
await using _containers = cleanUp(socket, source, 'tallyman.source')
await using tallyman = await createTallyman(
  {
    repository: { url: 'manifests', ref: 'main', name: source },
    registry: 'localhost:5000',
    sandbox: { image: 'localhost:5000/sandbox:1' },
    ingress: {
      image: 'localhost:5000/caddy:2',
      http: local(80),
      https: local(443),
      certificates: [{ cert: own('single.pem'), key: own('single.key') }],
      // no authority is asked
      acme: { directory: 'https://127.0.0.1:1/directory' },
    },
  },
  socket,
)
await pushImage(registry, 'sandbox', '1')
await pushCaddy(registry, 'caddy', '2')
const files = { '/www/index.html': 'shop' }
await pushImage(registry, 'shop', '1', { files, cmd: ['httpd', '-f', '-p', '8000', '-h', '/www'] })

const manifests = join(tallyman.directory, 'manifests')
await cp(join(root, 'fixtures/routes'), manifests, { recursive: true })
const person = { GIT_AUTHOR_NAME: 'you', GIT_AUTHOR_EMAIL: 'you@example.com' }
const committer = { GIT_COMMITTER_NAME: 'you', GIT_COMMITTER_EMAIL: 'you@example.com' }
const commit = async (subject: string) => {
  await git(manifests, ['add', '--all'])
  await git(manifests, ['commit', '--quiet', '--message', subject], { ...person, ...committer })
}
await git(manifests, ['init', '--quiet', '--initial-branch', 'main'])
await commit('Open the shop')
await tallyman.run('apply', '--yes')

const specification = join(manifests, 'applications/shop.yaml')
const text = await readFile(specification, 'utf8')
await writeFile(
  specification,
  text.replace('shop.internal, port: 8000', 'shop.internal, path: /admin, port: 8000'),
)
await commit('Show less inside')
await keep('plan', 'plan')
await tallyman.run('apply', '--yes')

const daemon = await tallyman.daemon()
await daemon.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)
const request = { port: 80, host: 'own.example.com', path: '/' }
for (const host of ['own.example.com', 'own.example.com', 'nobody.example.com'])
  await ask({ ...request, host })
await waitUntil('the certificate', async () =>
  (await tallyman.run('status')).stdout.includes('Caddy Local Authority'),
)
await keep('status', 'status')
await keep('metrics', 'metrics')

async function keep(name: string, ...args: readonly string[]): Promise<void> {
  const { stdout } = await tallyman.run(...args)
  const lines = stdout.trimEnd().split('\n')
  // the buckets of histograms fill pages
  const shown = lines.filter(line => !line.includes('_bucket{'))
  await writeFile(join(root, `docs/examples/ingress-${name}.txt`), `${shown.join('\n')}\n`)
}
