import type { Command } from 'commander'
import type { CommonFlags } from './options/flags.ts'
import { repeatable } from './options/what-is-given.ts'
import type { Output } from './output/output.ts'

/** Carries out a command, and returns the exit code. */
export type RunCommand<Options> = (
  output: Output,
  flags: CommonFlags & Options,
  ...operands: string[]
) => Promise<number>

/**
 * Adds one command, with the options of every command.
 * @param usage its name and its operands
 * @param load loads its code, once it is called
 * @param operand what it takes, in words
 */
export type AddCommand = <Options>(
  usage: string,
  description: string,
  load: () => Promise<RunCommand<Options>>,
  operand?: string,
) => Command

const verbose = [
  '--verbose',
  'leave nothing out of the plan: show every field of new containers, and long values in full',
] as const

const sites = ['--sites', 'name every site of a change that several sites have in common'] as const

const planId = 'the id of a plan that waits, which "tallyman status" and "tallyman plan" print'
const application = 'an application, which "tallyman status" lists'
const site = 'a site by the name that the configuration gives it'

/** Adds all commands for people, in the order in which the help lists them. */
export function addCommands(command: AddCommand): void {
  command(
    'daemon',
    'run the reconcile loop in the foreground',
    async () => (await import('./commands/daemon.ts')).daemon,
  )
  command(
    'validate [path]',
    'check every environment of a manifests repository, or one file, and report all errors at once',
    async () => (await import('./commands/validate.ts')).validate,
    'a repository, a directory or one file',
  ).option('--strict', 'count what is forgiven with a warning in pod manifests as an error')
  command('plan', 'show what apply would change', async () => (await import('./commands/plan.ts')).plan)
    .option('--detailed-exitcode', 'exit with 0 for no changes, 1 for an error, 2 for changes')
    .option(...verbose)
    .option(...sites)
    .option('--retry', 'plan quarantined releases as well')
  command(
    'apply',
    'show the plan, ask for confirmation, and apply the plan',
    async () => (await import('./commands/apply.ts')).apply,
  )
    .option('--yes', 'apply without asking')
    .option('--plan <id>', 'apply only if the plan still has this id')
    .option(...verbose)
    .option(...sites)
    .option('--retry', 'apply quarantined releases as well')
  command(
    'status',
    'show the sync and health of every service, with reasons',
    async () => (await import('./commands/status.ts')).status,
  )
    .option('--site <name>', 'show only this site; may be repeated', repeatable)
    .option('--all', 'show every site, also where many are alike')
  command(
    'sites',
    'show every site: whether its engine answers, what runs there, and its labels',
    async () => (await import('./commands/sites.ts')).sites,
  )
  command(
    'log',
    'show the reconcile log, newest pass first',
    async () => (await import('./commands/log.ts')).log,
  )
    .option('--follow', 'keep printing passes as they end')
    .option('--answers', 'show what people said, such as approvals and suspensions, instead of passes')
    .option('--since <time>', 'show only passes since then: a duration such as 2h, or a date')
    .option('--site <name>', 'show only passes over this site')
    .option('--application <name>', 'show only passes that change this application')
    .option('--limit <count>', 'how many passes to show', '50')
  command(
    'logs <address>',
    'show what the containers of an application wrote',
    async () => (await import('./commands/logs.ts')).logs,
    'what is meant, as [ENVIRONMENT/]APPLICATION[/SERVICE[/CONTAINER]]',
  )
    .option('--site <name>', 'only on this site; may be repeated', repeatable)
    .option('--follow', 'keep printing lines as they are written, also of new containers')
    .option('--since <time>', 'only lines since then: a duration such as 2h, or a date')
    .option('--tail <count>', 'only the last lines of each container: so many')
    .option('--timestamps', 'put the time in front of each line')
  command(
    'show <pass>',
    'show one pass in full',
    async () => (await import('./commands/log.ts')).show,
    'the number of a pass, which "tallyman log" prints',
  ).option(...verbose)
  command(
    'approve <id>',
    'approve a plan that waits for an answer',
    async () => (await import('./commands/remote.ts')).approve,
    planId,
  )
    .option('--message <text>', 'the reason, for the log')
    .option('--wait', 'follow the plan to its end, and exit as apply does')
  command(
    'discard <id>',
    'decline a plan that waits for an answer',
    async () => (await import('./commands/remote.ts')).discard,
    planId,
  ).option('--message <text>', 'the reason, for the log')
  command('reconcile', 'start a pass now', async () => (await import('./commands/remote.ts')).reconcile)
  command(
    'ping',
    'say whether the daemon answers, at once with any number of sites',
    async () => (await import('./commands/remote.ts')).ping,
  )
  command(
    'suspend',
    'stop making changes, and only observe, until "tallyman resume"',
    async () => (await import('./commands/remote.ts')).suspend,
  )
    .requiredOption('--reason <text>', 'the reason, for status and for others who suspend')
    .option('--until <time>', 'end of the suspension: a duration such as 2h, or a date')
    .option('--replace', 'replace an earlier suspension')
    .option('--application <name>', 'suspend only this application')
  command(
    'resume [name]',
    'end a suspension, the pause or end of a deployment, or that a version is held',
    async () => (await import('./commands/remote.ts')).resume,
    'an application or a deployment',
  )
    .option('--application <name>', 'resume only this application')
    .option('--message <text>', 'the reason, for the log')
  command(
    'versions <application>',
    'show the versions of an application that are kept, and which site runs which',
    async () => (await import('./commands/versions.ts')).versions,
    application,
  )
  command(
    'rollback [application]',
    'push a commit that brings back an application as it was, or without one the whole environment',
    async () => (await import('./commands/rollback/rollback.ts')).rollback,
    application,
  )
    .option(
      '--to <version>',
      'VERSION, COMMIT, version:VERSION, commit:COMMIT or pass:NUMBER (default: the version before)',
    )
    .option('--message <text>', 'the reason, for the commit, status and the log')
    .option('--reason <text>', 'the same as --message; give one of the two')
    .option('--yes', 'push without asking')
    .option('--patch <file>', 'write the commit to a file for "git am" instead of pushing it')
    .option('--now', 'hold the application at that version until "tallyman resume", without a commit')
    .option('--outside-window', 'with --now: go back at once, also on sites whose upgrade window is closed')
  command(
    'retry [application]',
    'try quarantined releases again',
    async () => (await import('./commands/remote.ts')).retry,
    application,
  ).option('--message <text>', 'the reason, for the log')
  const deployment = 'a deployment, or its application, which "tallyman status" lists'
  command(
    'deployment <name>',
    'show a deployment: its batches, what it waits for, and the sites that are still without its version',
    async () => (await import('./commands/deployment.ts')).deployment,
    deployment,
  ).option('--all', 'list all sites')
  command(
    'pause <deployment>',
    'stop a deployment before its next batch, until "tallyman resume"',
    async () => (await import('./commands/remote.ts')).pauseDeployment,
    deployment,
  ).option('--message <text>', 'the reason, for the log')
  command(
    'abort <deployment>',
    'end a deployment: sites that have its version keep it, and no other gets it',
    async () => (await import('./commands/remote.ts')).abortDeployment,
    deployment,
  ).option('--message <text>', 'the reason, for the log')
  command(
    'redeploy <deployment>',
    'evaluate the sites of a deployment anew, after labels or sites changed',
    async () => (await import('./commands/remote.ts')).redeploy,
    deployment,
  ).option('--message <text>', 'the reason, for the log')
  const upgrade = 'an application, and a version of it that waits, which "tallyman status" lists'
  command(
    'force-upgrade [application] [version]',
    'install versions that wait for an upgrade window now; an upgrade path has to lead to them all the same',
    async () => (await import('./commands/upgrade.ts')).forceUpgrade,
    upgrade,
  )
    .option('--site <name>', 'only on this site; may be repeated', repeatable)
    .option('--yes', 'do it without asking')
    .option('--message <text>', 'the reason, for the log')
  command(
    'delete-upgrade <application> [version]',
    'do not install a version that waits; what runs stays until a newer version comes',
    async () => (await import('./commands/upgrade.ts')).deleteUpgrade,
    upgrade,
  )
    .option('--site <name>', 'only on this site; may be repeated', repeatable)
    .option('--message <text>', 'the reason, for the log')
  command(
    'drain <site>',
    'tell load balancers in front of a site to send it no more requests',
    async () => (await import('./commands/remote.ts')).drain,
    site,
  )
  command(
    'undrain <site>',
    'tell load balancers in front of a site to send it requests again',
    async () => (await import('./commands/remote.ts')).undrain,
    site,
  )
  command(
    'metrics',
    'print the metrics of the ingresses, in the Prometheus text format',
    async () => (await import('./commands/remote.ts')).metrics,
  )
}
