import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { Failure } from '../../errors.ts'
import type { Provenance } from '../../plan/step/placement.ts'
import type { Step } from '../../plan/step/step.ts'
import { isWithin } from '../../text/within.ts'
import type { Client } from '../api/client.ts'
import { statOf } from '../container/files/path-stat.ts'
import { probed } from '../container/files/probe-container.ts'

type CheckHostPath = Extract<Step, { do: 'check-host-path' }>

/** Where the allowed directory is mounted in the container that is never started. */
const target = '/.tallyman-check'

/**
 * Checks each directory on the way through the engine that will mount it, so that it does not matter where the engine
 * is. Fails with `policy-violation` at a symlink, and with `mount-refused` if there is nothing.
 */
export async function checkHostPath(
  client: Client,
  step: CheckHostPath,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const { path, within, image } = step
  const hash = createHash('sha256').update(`${provenance.environment} ${path}`).digest('hex').slice(0, 8)
  // Several applications may mount the same directory, and the name is given only once.
  const name = `${provenance.environment}.check.${hash}`
  const mounts = [{ Type: 'bind', Source: within, Target: target, ReadOnly: true }]
  const look = async () => {
    for (const part of partsOf(path, within)) {
      const found = await statOf(client, name, posix.join(target, part), signal)
      const where = `${client.site}: ${posix.join(within, part)}`
      if (found === undefined)
        throw new Failure('mount-refused', `${where}: there is no such path on the host`, { resource: path })
      if (found.linkTarget !== '')
        throw new Failure(
          'policy-violation',
          `${where} is a symlink to ${onHost(found.linkTarget, within)}; a mount must not lead out of ${within}, which is allowed`,
          { resource: path, hint: symlinkHint },
        )
    }
  }
  await probed(client, { name, image, mounts, resource: path }, provenance, look, signal)
}

const symlinkHint =
  'Mount the path that the symlink leads to, if the operator allows it under "policy" in tallyman.yaml, or replace the symlink with a directory and run "tallyman retry".'

/** The engine resolves a relative link below the place where the directory is mounted to look into it. */
function onHost(link: string, within: string): string {
  return isWithin(link, target) ? posix.join(within, posix.relative(target, link)) : link
}

/** Returns `a`, `a/b`, `a/b/c`. */
function partsOf(path: string, within: string): readonly string[] {
  const names = posix.relative(within, path).split('/')
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}
