import { Command, CommanderError } from 'commander'
import { Failure, toFailure } from '../errors.ts'
import { type AddCommand, addCommands, type RunCommand } from './add-commands.ts'
import { exitCode } from './exit.ts'
import { addCommonOptions, withFlagsBefore } from './options/common-options.ts'
import type { CommonFlags } from './options/flags.ts'
import { refuseEmpty, refuseRepeats } from './options/what-is-given.ts'
import { outputAbout } from './output/in-environment.ts'
import {
  createOutput,
  errorDocument,
  type Output,
  type OutputFlags,
  reportFailure,
  type Streams,
} from './output/output.ts'

/**
 * Runs one command line and returns the exit code. The code of a command is loaded only when it is called. Everything
 * is written to these streams but the live list of changes and questions, which need a terminal.
 */
export async function run(
  argv: readonly string[],
  version: string,
  streams: Streams = process,
): Promise<number> {
  let code: number = exitCode.done
  const plain = createOutput({ color: false }, streams)
  const program = new Command('tallyman')
    .configureOutput({
      // The blanks between the columns of a help are no text of others: each run is a part of its own.
      writeOut: text => plain.text(linesOf(text).map(line => line.split(/( +)/))),
      writeErr: text => {
        for (const line of linesOf(text)) plain.note(line)
      },
    })
    .description(
      'GitOps for Docker hosts: a plan, an approval bound to it, verified digests and a durable log.',
    )
    .version(version)
    .exitOverride()
    .showHelpAfterError('Run "tallyman --help" to list the commands.')
    .enablePositionalOptions()
  addCommonOptions(program)

  const addCommand: AddCommand = <Options>(
    usage: string,
    description: string,
    load: () => Promise<RunCommand<Options>>,
    operand?: string,
  ) => {
    const made = program.command(usage).description(description)
    const takes = operand === undefined ? '' : `It takes ${operand}. `
    for (const argument of made.registeredArguments) argument.description = operand ?? ''
    made.showHelpAfterError(`${takes}Run "tallyman ${made.name()} --help" for its arguments and options.`)
    addCommonOptions(made)
    made.action(async (...given: unknown[]) => {
      // commander passes the operands first, then the options, then the command itself.
      const flags = withFlagsBefore(program, made, given.at(-2) as CommonFlags & Options)
      const operands = given.slice(0, -2).filter(operand => typeof operand === 'string')
      const output = outputOf(flags, streams)
      try {
        code = await (await load())(output, flags, ...operands)
      } catch (error) {
        const failure = toFailure(error)
        reportFailure(output, failure)
        if (failure.code === 'internal' && failure.cause instanceof Error)
          for (const line of linesOf(failure.cause.stack ?? '')) output.note(line)
        code = failure.code === 'wrong-usage' ? exitCode.wrongUsage : exitCode.failed
      }
    })
    return made
  }

  addCommands(addCommand)
  // Its container runs it, and no person.
  program
    .command('metadata-service', { hidden: true })
    .description('answer the apps of pods; tallyman starts it in a container of its own')
    .option('--directory <path>', 'where the key and the data of pods are')
    .option('--port <number>', 'where to listen')
    .action(async (flags: { readonly directory?: string; readonly port?: string }) => {
      const output = createOutput({ color: false }, streams)
      try {
        code = await (await import('./commands/metadata-service.ts')).metadataService(output, flags)
      } catch (error) {
        reportFailure(output, toFailure(error))
        code = exitCode.failed
      }
    })

  for (const one of [program, ...program.commands]) {
    refuseRepeats(one)
    refuseEmpty(one)
  }
  try {
    await program.parseAsync([...argv])
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return exitCode.done
    // Its text is on stderr by now.
    if (asksForJson(argv))
      createOutput({ output: 'json' }, streams).document(errorDocument(usageFailure(error)))
    return exitCode.wrongUsage
  }
  return code
}

/** Whether a command line that cannot be understood as a whole asks for JSON. */
function asksForJson(argv: readonly string[]): boolean {
  const at = argv.lastIndexOf('--output')
  return argv.includes('--output=json') || (at >= 0 && argv[at + 1] === 'json')
}

function usageFailure({ message }: CommanderError): Failure {
  return new Failure('wrong-usage', message.replace(/^error: /, ''))
}

/** Commands in all that is said of the one environment that somebody named are about it, too. */
function outputOf(flags: CommonFlags & OutputFlags, streams: Streams): Output {
  const output = createOutput(flags, streams)
  const [environment, ...others] = flags.environment ?? []
  return environment === undefined || others.length > 0 ? output : outputAbout(environment, output)
}

/** Splits a library's message into lines. Each of them ends with a line break. */
function linesOf(text: string): readonly string[] {
  return text.replace(/\n$/, '').split('\n')
}
