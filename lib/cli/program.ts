import { Command, CommanderError, Option } from 'commander'
import { toFailure } from '../errors.ts'
import { exitCode } from './exit.ts'
import type { CommonFlags } from './flags.ts'
import { createOutput, type Output, reportFailure } from './output.ts'

type Run<Options> = (output: Output, flags: CommonFlags & Options, ...operands: string[]) => Promise<number>

/** Runs one command line; returns the exit code. Each command's code is loaded only when it is called. */
export async function run(argv: readonly string[], version: string): Promise<number> {
  let code: number = exitCode.done
  const program = new Command('tallyman')
    .description(
      'GitOps for Docker hosts: a plan, an approval bound to it, verified digests and a durable log.',
    )
    .version(version)
    .exitOverride()
    .showHelpAfterError('Run "tallyman --help" for what there is.')

  const command = <Options>(
    usage: string,
    description: string,
    load: () => Promise<Run<Options>>,
  ): Command => {
    const made = program
      .command(usage)
      .description(description)
      .option('--config <file>', 'configuration file (default: tallyman.yaml here or in /etc/tallyman)')
      .option('--repository <url>', 'manifests repository: http(s)://, file:// or a directory')
      .option('--ref <ref>', 'branch, tag or commit (default: the default branch)')
      .option(
        '--environment <name>',
        'an environment to work on; may be repeated (default: the only one there is)',
        collect,
      )
      .option('--state-dir <directory>', 'where journal, git objects and control socket are')
      .addOption(
        new Option('--output <form>', 'what results are printed as')
          .choices(['text', 'json'])
          .default('text'),
      )
      .option('--server <socket>', 'control socket of a daemon (default: the one in the state directory)')
      .option('--no-color', 'print no colors')
    made.action(async (...given: unknown[]) => {
      // commander hands over the operands, then the options, then the command itself
      const flags = given.at(-2) as CommonFlags & Options
      const operands = given.slice(0, -2).filter(operand => typeof operand === 'string')
      const output = createOutput(flags)
      try {
        code = await (await load())(output, flags, ...operands)
      } catch (error) {
        const failure = toFailure(error)
        reportFailure(output, failure)
        if (failure.code === 'internal' && failure.cause instanceof Error)
          output.note(failure.cause.stack ?? '')
        code = failure.code === 'wrong-usage' ? exitCode.wrongUsage : exitCode.failed
      }
    })
    return made
  }

  command('daemon', 'run the loop in the foreground', async () => (await import('./daemon.ts')).daemon)
  command(
    'validate [path]',
    'check every environment of a manifests repository; all errors at once',
    async () => (await import('./validate.ts')).validate,
  )
  command('plan', 'show what would be done', async () => (await import('./plan.ts')).plan)
    .option('--detailed-exitcode', '0: no change, 1: error, 2: changes')
    .option('--retry', 'also plan what is quarantined')
  command('apply', 'plan, ask, apply', async () => (await import('./apply.ts')).apply)
    .option('--yes', 'answer yes')
    .option('--plan <id>', 'only if the plan still is this one')
    .option('--retry', 'also what is quarantined')
  command(
    'status',
    'sync and health of everything, and why',
    async () => (await import('./status.ts')).status,
  )
  command('log', 'the reconcile log, newest first', async () => (await import('./log.ts')).log)
    .option('--follow', 'go on as passes end')
    .option('--since <time>', 'only since then: a duration such as 2h, or a date')
    .option('--application <name>', 'only passes that change it')
    .option('--limit <count>', 'how many passes', '50')
  command('show <pass>', 'one pass whole', async () => (await import('./log.ts')).show)
  command(
    'approve <id>',
    'say yes to a waiting plan',
    async () => (await import('./remote.ts')).approve,
  ).option('--message <text>', 'why')
  command(
    'discard <id>',
    'say no to a waiting plan',
    async () => (await import('./remote.ts')).discard,
  ).option('--message <text>', 'why')
  command('reconcile', 'look again now', async () => (await import('./remote.ts')).reconcile)
  command(
    'suspend',
    'change nothing for now; observing goes on',
    async () => (await import('./remote.ts')).suspend,
  )
    .requiredOption('--reason <text>', 'why')
    .option('--until <time>', 'until then: a duration such as 2h, or a date')
    .option('--application <name>', 'only this application')
  command('resume', 'end a suspension', async () => (await import('./remote.ts')).resume).option(
    '--application <name>',
    'only this application',
  )
  command(
    'retry [application]',
    'try again what is quarantined',
    async () => (await import('./remote.ts')).retry,
  )
  command(
    'drain <site>',
    'have load balancers in front told to send a site nothing more',
    async () => (await import('./remote.ts')).drain,
  )
  command(
    'undrain <site>',
    'have them told to send to it again',
    async () => (await import('./remote.ts')).undrain,
  )
  command(
    'metrics',
    "what the ingresses counted, in Prometheus' text format",
    async () => (await import('./remote.ts')).metrics,
  )

  try {
    await program.parseAsync([...argv])
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.done : exitCode.wrongUsage
    throw error
  }
  return code
}

function collect(name: string, before: readonly string[] = []): readonly string[] {
  return [...before, name]
}
