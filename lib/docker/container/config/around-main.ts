import type { Container } from '../../../state/application/container/container.ts'
import { lentShell, lentSignals, lentState } from '../../../state/application/container/lent-shell.ts'
import { reveal } from '../../../state/secret/text.ts'
import { shellQuoted } from '../../../text/shell-quoted.ts'

type Around = Pick<Container, 'entrypoint' | 'command' | 'env' | 'handlers'>
type Variables = NonNullable<Around['env']>

/**
 * Returns how a container runs its main program and the programs around it (C13): a shell of the sandbox runs them one
 * after the other, in the same file system, with the same mounts, variables and user. It hands on the signals that the
 * main program gets, and ends with the exit code of the main program. Without handlers, it runs what is wanted. A
 * container with handlers has no variables of its image.
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
function inEnvironment(env: Variables): string {
  const own = Object.entries(env).filter(([name]) => isLostInShell(name))
  const foreign = ofShell.filter(name => !Object.hasOwn(env, name))
  return [
    shellQuoted(lentShell),
    'env',
    ...foreign.map(name => `-u ${name}`),
    ...own.map(([name, value]) => shellQuoted(`${name}=${reveal(value)}`)),
  ].join(' ')
}

/** Whether a shell hands on no variable of that name, or one of its own. */
function isLostInShell(name: string): boolean {
  return !isPlain.test(name) || ofShell.includes(name)
}

const isPlain = /^[A-Za-z_][A-Za-z0-9_]*$/
const ofShell: readonly string[] =
  'EPOCHREALTIME EPOCHSECONDS IFS LINENO OLDPWD OPTIND PPID PS1 PS2 PS4 PWD RANDOM SHLVL'.split(' ')

/** Looks a program up in PATH, because the shell has programs of its own, which an app never means. */
function functions(env: Variables): string {
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

/** All that a program can take, except for SIGCHLD, which tells the shell itself of its programs. */
const signals =
  'HUP INT QUIT ILL TRAP ABRT BUS FPE USR1 SEGV USR2 PIPE ALRM TERM CONT TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS'.split(
    ' ',
  )
/** Those for purposes of programs' own have numbers only. */
const realTime = Array.from({ length: 31 }, (_, index) => String(34 + index))

/**
 * A signal ends a wait early, with a code of its own. The next wait tells the code of the program, or 127 if the one
 * before did after all.
 */
function around(main: readonly string[], postStop: readonly string[], env: Variables): readonly string[] {
  return [
    `look ${wordsOf(main)}`,
    `tallyman_with=${shellQuoted(lentSignals)}; "$tallyman_with" ${shellQuoted(lentShell)} true 2>/dev/null || tallyman_with=`,
    `${inEnvironment(env)} $tallyman_with "$tallyman_found" ${wordsOf(main.slice(1))} <&0 &`,
    'tallyman_pid=$! tallyman_code=',
    `tallyman_all=${shellQuoted([...signals, ...realTime].join(' '))}`,
    'for tallyman_one in $tallyman_all; do',
    '  trap "tallyman_hit=1; kill -$tallyman_one $tallyman_pid 2>/dev/null" $tallyman_one',
    'done',
    'while :; do',
    '  tallyman_hit= && wait $tallyman_pid',
    '  tallyman_now=$?',
    '  [ -n "$tallyman_code" ] && [ $tallyman_now = 127 ] || tallyman_code=$tallyman_now',
    '  [ -n "$tallyman_hit" ] || break',
    'done',
    'trap - $tallyman_all',
    `(run ${wordsOf(postStop)})`,
    'exit $tallyman_code',
  ]
}

function wordsOf(program: readonly string[]): string {
  return program.map(shellQuoted).join(' ')
}
