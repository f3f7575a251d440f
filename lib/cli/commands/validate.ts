import { randomUUID } from 'node:crypto'
import { rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { timeOfDayMs } from '../../clock.ts'
import type { Origin } from '../../config/find-file.ts'
import { type Config, loadConfig } from '../../config.ts'
import { Failure, formatProblem, type Problem, withHint } from '../../errors.ts'
import { readRegular } from '../../file/read-regular.ts'
import { openSource } from '../../git/source.ts'
import { limits } from '../../limits.ts'
import { optional } from '../../object.ts'
import { validateFile } from '../../validate/file.ts'
import type { Findings } from '../../validate/findings.ts'
import { validateRepository } from '../../validate/repository.ts'
import { warningsOnWindows } from '../../validate/unmet-windows.ts'
import { contextOf, kindsOf, sharedEnginesOf } from '../context-of.ts'
import { exitCode } from '../exit.ts'
import type { CommonFlags } from '../options/flags.ts'
import { type Output, reportHints, sayOrigin } from '../output/output.ts'
import { stopSignal } from '../stop-signal.ts'

/**
 * Checks every environment and every specification, or one file. Reports all errors at once, and needs neither a daemon
 * nor an engine. Returns the exit code.
 */
export async function validate(output: Output, flags: CommonFlags, path?: string): Promise<number> {
  const kind = path === undefined ? undefined : await kindOf(path)
  return path !== undefined && kind === 'file'
    ? validateOne(output, flags, path)
    : validateAll(output, flags, path)
}

async function validateAll(output: Output, flags: CommonFlags, path?: string): Promise<number> {
  if (path !== undefined && flags.repository !== undefined)
    throw new Failure('wrong-usage', `${path}: give the path or "--repository", not both`)
  const where = path === undefined ? {} : { repository: resolve(path) }
  const config = loadConfig({ ...flags, ...where }, process.env, undefined, { connects: false })
  sayOrigin(output, config.origin)
  await using fetched = passingDirectory()
  const { name, ...configured } = config.repository
  // The ref of the configuration is one of its own repository. A path is checked as it is.
  const meant = path === undefined ? configured : { url: configured.url, ...optional('ref', flags.ref) }
  const source = openSource({ ...meant, ...optional('name', name) }, fetched.path)
  const { signal, release } = stopSignal()
  const snapshot = await source.snapshot(await source.lookUp(signal), signal)
  release()
  const findings = await validateRepository(snapshot, {
    ...contextOf(config, source.name),
    kinds: place => kindsOf(config, place),
    shared: place => sharedEnginesOf(config, place),
    ...optional('environments', config.environments.length === 0 ? undefined : config.environments),
    ...optional('asked', flags.environment),
  })
  const warnings = [...findings.warnings, ...(await windowWarnings(config))]
  const problems = [...config.wrongSites.flatMap(wrong => wrong.problems), ...findings.problems]
  return tell(output, { problems, warnings, configuration: config.origin }, 'Everything is valid.')
}

/** Creates a directory whose name nobody can know, and therefore nobody can create first. It is removed at the end. */
function passingDirectory(): AsyncDisposable & { readonly path: string } {
  const path = join(tmpdir(), `tallyman-${randomUUID()}`)
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

async function validateOne(output: Output, flags: CommonFlags, path: string): Promise<number> {
  const repository = flags.repository ?? dirname(resolve(path))
  const text = await readText(path)
  let configuration: Origin | undefined
  const {
    kind,
    config: checked,
    ...found
  } = validateFile(path, text, () => {
    const config = loadConfig(flags, process.env, repository, { connects: false })
    configuration = config.origin
    sayOrigin(output, config.origin)
    return contextOf(config, repository)
  })
  const warnings = [...found.warnings, ...(checked === undefined ? [] : await windowWarnings(checked))]
  const findings = { ...found, warnings }
  const rest = kind === 'manifest' ? ' The files that it includes were not checked.' : ''
  const told = configuration === undefined ? findings : { ...findings, configuration }
  return tell(output, told, `${path} is a valid ${kind ?? 'file'}.${rest}`)
}

async function windowWarnings({ sites, origin: { file } }: Config): Promise<readonly Problem[]> {
  return file === undefined ? [] : warningsOnWindows(sites, file, timeOfDayMs())
}

/** The findings, and the configuration that was used if there was one. */
type Told = Findings & { readonly configuration?: Origin }

function tell(output: Output, findings: Told, allWell: string): number {
  const { problems, warnings } = findings
  if (output.json) output.document({ ...findings, problems: problems.map(withHint) })
  else {
    output.text(problems.map(formatProblem))
    reportHints(output, problems)
  }
  if (!output.json) for (const warning of warnings) output.note(`warning: ${formatProblem(warning)}`)
  if (problems.length > 0) return exitCode.failed
  output.note(allWell)
  return exitCode.done
}

async function kindOf(path: string): Promise<'file' | 'other'> {
  try {
    return (await stat(path)).isFile() ? 'file' : 'other'
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    throw new Failure('file-missing', `${path}: there is no such file or directory (${reason})`, {
      cause,
      hint: 'Name an existing file, or the directory of a repository; without a path, tallyman checks the repository of the configuration.',
    })
  }
}

async function readText(path: string): Promise<string> {
  const { bytes } = await readRegular(path, { mostBytes: limits.documentCharacters }).catch(
    (cause: unknown) => {
      if (cause instanceof Error && 'code' in cause && cause.code === 'too large')
        throw new Failure('file-too-large', `${path}: is larger than 1 MiB`)
      throw new Failure('file-missing', `${path}: cannot be read`, { cause })
    },
  )
  const text = bytes.toString('utf8')
  if (!Buffer.from(text).equals(bytes)) throw new Failure('file-not-text', `${path}: is not text (UTF-8)`)
  return text
}
