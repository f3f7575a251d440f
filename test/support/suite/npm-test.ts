import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { newest as fetchNewestCaddy } from '../images/caddy.ts'
import { prepareEngine } from './machine.ts'
import { spawnInOwnNetwork } from './own-network.ts'

/**
 * `npm test`: fetches what tests need, then has `run.ts` run them. If an engine has to be started for them, all of it
 * runs in a network of its own: what this machine has of bridges, addresses and rules cannot matter.
 */
const isOwn = await prepareEngine().catch((error: unknown) => {
  process.stdout.write(
    `failed: ${error instanceof Error ? error.message : String(error)}\n0 passed, 1 failed\n`,
  )
  return process.exit(1)
})
// There is no other network later, and each of several processes would fetch it for itself.
await fetchNewestCaddy()
const args = [join(import.meta.dirname, 'run.ts'), ...process.argv.slice(2)]
const options = { stdio: 'inherit', detached: true } as const
const child = isOwn ? spawnInOwnNetwork(args, options) : spawn(process.execPath, args, options)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
const [code] = await once(child, 'exit')
process.exitCode = code ?? 1
