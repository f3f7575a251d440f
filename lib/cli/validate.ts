import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { loadConfig } from '../config.ts'
import { formatProblem } from '../errors.ts'
import { openSource } from '../git/source.ts'
import { printable } from '../printable.ts'
import { validateRepository } from '../resolve.ts'
import { anySecrets } from '../spec/any-secrets.ts'
import { exitCode } from './exit.ts'
import type { CommonFlags } from './flags.ts'
import type { Output } from './output.ts'
import { stopSignal } from './stop-signal.ts'

/** Checks every environment and every specification: all errors at once, without a daemon and without an engine. */
export async function validate(output: Output, flags: CommonFlags, path?: string): Promise<number> {
  const where =
    path === undefined && flags.repository === undefined
      ? {}
      : { repository: flags.repository ?? resolve(path ?? '.') }
  const config = loadConfig({ ...flags, ...where }, process.env)
  const source = openSource(config.repository, tmpdir())
  const { signal, release } = stopSignal()
  const snapshot = await source.snapshot(await source.lookUp(signal), signal)
  release()
  const { registry, policy, healthyMs, sandbox, ingress } = config
  const problems = await validateRepository(snapshot, {
    source: source.name,
    policy,
    healthyMs,
    sandboxImage: sandbox.image,
    // Which secrets there are is known where the application runs.
    secrets: anySecrets,
    ...(registry === undefined ? {} : { registry }),
    ...(ingress === undefined ? {} : { ingress: { pool: ingress.subnets, holdMs: ingress.holdMs } }),
  })
  if (output.json) output.document({ problems })
  else for (const problem of problems) output.text(`${printable(formatProblem(problem))}\n`)
  if (problems.length > 0) return exitCode.failed
  output.note('Everything is valid.')
  return exitCode.done
}
