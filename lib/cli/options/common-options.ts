import { type Command, Option } from 'commander'
import { repeatable } from './what-is-given.ts'

/** Adds the options of every command, which may stand before the command, too. */
export function addCommonOptions(command: Command): void {
  command
    .option(
      '--config <file>',
      'configuration file (default: tallyman.yaml in the working directory unless manifests are there, else /etc/tallyman/tallyman.yaml)',
    )
    .option(
      '--repository <url>',
      'manifests repository: http(s)://, ssh://, user@host:path, file:// or a directory',
    )
    .option('--ref <ref>', 'branch, tag or commit (default: the default branch)')
    .option(
      '--environment <name>',
      'environment to work on; may be repeated (default: the only one in the repository)',
      repeatable,
    )
    .option('--state-dir <directory>', 'directory of the journal, the git objects and the control socket')
    .addOption(
      new Option('--output <form>', 'format of the results').choices(['text', 'json']).default('text'),
    )
    .option('--server <socket>', 'control socket of a daemon (default: the one in the state directory)')
    .option('--no-color', 'print no colors')
}

/**
 * Returns the flags of a command together with those before it. Ends the command as commander does for any wrong usage
 * if one that may be given once is given in both places.
 */
export function withFlagsBefore<Flags extends object>(program: Command, command: Command, own: Flags): Flags {
  const before = program.options.filter(option => isGiven(program, option))
  const joined = before.map((option): readonly [string, unknown] => {
    const [first, second] = [program, command].map(one => one.getOptionValue(option.attributeName()))
    if (!option.required || !isGiven(command, option)) return [option.attributeName(), first]
    if (Array.isArray(first) && Array.isArray(second)) return [option.attributeName(), [...first, ...second]]
    return command.error(
      `error: option '${option.flags}' stands before the command and after it. It may be given once: only one value would count.`,
    )
  })
  return { ...own, ...Object.fromEntries(joined) }
}

function isGiven(command: Command, option: Option): boolean {
  return command.getOptionValueSource(option.attributeName()) === 'cli'
}
