import { loadConfig } from '../../../lib/config.ts'
import { openSource } from '../../../lib/git/source.ts'
import { chooseEnvironment, findEnvironments } from '../../../lib/manifest/environments.ts'
import { resolve } from '../../../lib/resolve.ts'
import { anySecrets } from '../../../lib/spec/any-secrets.ts'
import { timed } from '../report/statistics.ts'

/** `resolve-once.ts URL DIRECTORY`: fetches, resolves, and prints how long each took, as JSON. */
const [url = '', directory = ''] = process.argv.slice(2)
const { policy } = loadConfig({ repository: url }, {})
const { signal } = new AbortController()
const source = openSource({ url }, directory)
const commit = await source.lookUp(signal)
const fetchMs = await timed(() => source.snapshot(commit, signal))
const resolveMs = await timed(async () => {
  const snapshot = await source.snapshot(commit, signal)
  const environment = chooseEnvironment(await findEnvironments(snapshot), undefined)
  await resolve(snapshot, environment, {
    source: source.name,
    policy,
    healthyMs: 0,
    sandboxImage: 'busybox:stable',
    secrets: anySecrets,
  })
})
process.stdout.write(JSON.stringify({ fetchMs, resolveMs }))
