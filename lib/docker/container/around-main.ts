import type { Container } from '../../state/application/container.ts'
import { lentShell, lentState } from '../../state/application/lent-shell.ts'
import { reveal } from '../../state/secret/text.ts'

type Around = Pick<Container, 'entrypoint' | 'command' | 'env' | 'handlers'>

/**
 * Returns how a container runs its main program and the programs around it (C13): a shell of the sandbox runs them one
 * after the other, in the same file system, with the same mounts, variables and user. It hands on the signals that the
 * main program gets, and ends with the exit code of the main program. Without handlers, it runs what is wanted.
 */
export function commandOf({
  entrypoint,
  command,
  env = {},
  handlers,
}: Around): Pick<Around, 'entrypoint' | 'command'> {
  if (handlers === undefined) return { ...(entrypoint && { entrypoint }), ...(command && { command }) }
  const main = [...(entrypoint ?? []), ...(command ?? [])]
  const { preStart, postStop } = handlers
  const lines = [
    functions(env),
    `rm -f ${lentState}`,
    ...(preStart === undefined ? [] : [`run ${wordsOf(preStart)} || exit $?`]),
    `read -r tallyman_up _ </proc/uptime; echo "\${tallyman_up%%.*}" >${lentState}`,
    ...(postStop === undefined
      ? [`look ${wordsOf(main)}`, `exec ${inEnvironment(env)} "$tallyman_found" ${wordsOf(main.slice(1))}`]
      : around(main, postStop, env)),
  ]
  return { entrypoint: [lentShell, 'sh', '-c'], command: [lines.join('\n')] }
}

/**
 * A shell hands on no variables whose names are none of its own, and sets some by itself. So they are set anew for each
 * program, and those that only the shell has are left out.
 */
function inEnvironment(env: NonNullable<Around['env']>): string {
  const own = Object.entries(env).filter(([name]) => !isPlain.test(name) || ofShell.includes(name))
  const foreign = ofShell.filter(name => !Object.hasOwn(env, name))
  return [
    quoted(lentShell),
    'env',
    ...foreign.map(name => `-u ${name}`),
    ...own.map(([name, value]) => quoted(`${name}=${reveal(value)}`)),
  ].join(' ')
}

const isPlain = /^[A-Za-z_][A-Za-z0-9_]*$/
const ofShell: readonly string[] = ['IFS', 'OLDPWD', 'OPTIND', 'PPID', 'PS1', 'PS2', 'PS4', 'PWD', 'SHLVL']

/** Looks a program up in PATH, because the shell has programs of its own, which an app never means. */
function functions(env: NonNullable<Around['env']>): string {
  return `look() {
  case $1 in */*) tallyman_found=$1; return;; esac
  IFS=:
  for tallyman_in in $PATH; do
    [ -f "$tallyman_in/$1" ] && [ -x "$tallyman_in/$1" ] && { tallyman_found=$tallyman_in/$1; unset IFS; return; }
  done
  unset IFS
  echo "$1: not found" >&2
  exit 127
}
run() { look "$1"; shift; ${inEnvironment(env)} "$tallyman_found" "$@"; }`
}

const signals = ['HUP', 'INT', 'QUIT', 'TERM', 'USR1', 'USR2', 'WINCH'] as const

/**
 * A signal ends a wait early, with a code of its own. The next wait tells the code of the program, or 127 if the one
 * before did after all.
 */
function around(
  main: readonly string[],
  postStop: readonly string[],
  env: NonNullable<Around['env']>,
): readonly string[] {
  return [
    `look ${wordsOf(main)}`,
    `${inEnvironment(env)} "$tallyman_found" ${wordsOf(main.slice(1))} <&0 &`,
    'tallyman_pid=$! tallyman_code=',
    ...signals.map(signal => `trap 'tallyman_hit=1; kill -${signal} $tallyman_pid 2>/dev/null' ${signal}`),
    'while :; do',
    '  tallyman_hit= && wait $tallyman_pid',
    '  tallyman_now=$?',
    '  [ -n "$tallyman_code" ] && [ $tallyman_now = 127 ] || tallyman_code=$tallyman_now',
    '  [ -n "$tallyman_hit" ] || break',
    'done',
    `trap - ${signals.join(' ')}`,
    `(run ${wordsOf(postStop)})`,
    'exit $tallyman_code',
  ]
}

function wordsOf(program: readonly string[]): string {
  return program.map(quoted).join(' ')
}

/** In single quotes, a shell changes nothing. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
