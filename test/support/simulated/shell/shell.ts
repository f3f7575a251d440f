import { posix } from 'node:path'
import type { Act, Program, Stream, Surroundings } from '../container/process.ts'
import { type Command, readScript, type Word } from './shell-syntax.ts'

/** The programs of the simulated engine, which are those of the tests' images as far as tests use them. */
export const known: readonly string[] = [
  ...['sh', 'echo', 'cat', 'seq', 'sleep', 'true', 'false', 'touch', 'rm', 'stat', 'httpd', 'wc', 'test'],
]

/** Returns the program of a command, if it is one that tests use. Undefined if the simulated engine has no such program. */
export function programOf(command: readonly string[]): Program | undefined {
  const [name = '', ...args] = command
  const program = posix.basename(name)
  return known.includes(program) ? around => runScript([simple(program, ...args)], [], { around }) : undefined
}

/** Returns the program of a script. `args`: its `$1`, `$2` and so on. */
export function script(text: string, args: readonly string[] = []): Program {
  return around => runScript(commandsOf(text), args, { around })
}

class Exit {
  readonly code: number

  constructor(code: number) {
    this.code = code
  }
}

type Shell = {
  readonly around: Surroundings
  readonly variables: Map<string, string>
  /** Takes what is written in place of the container's log. */
  readonly captures?: (text: string) => void
}

type Running = Generator<Act, number>

/** How long a round of a loop takes besides what it waits for. */
const roundMs = 1

function* runScript(
  commands: readonly Command[],
  args: readonly string[],
  outer: Omit<Shell, 'variables'>,
): Running {
  const numbered = args.map((value, index) => [String(index + 1), value] as const)
  const variables = new Map([...Object.entries(outer.around.env), ...numbered])
  try {
    return yield* runAll(commands, { ...outer, variables })
  } catch (error) {
    if (error instanceof Exit) return error.code
    throw error
  }
}

function* runAll(commands: readonly Command[], shell: Shell): Running {
  let code = 0
  for (const command of commands) {
    code = yield* runOne(command, shell)
    shell.variables.set('?', String(code))
  }
  return code
}

function* runOne(command: Command, shell: Shell): Running {
  switch (command.kind) {
    case 'simple':
      return yield* runSimple(command, shell)
    case 'group':
      return yield* runAll(command.commands, shell)
    case 'and': {
      const code = yield* runOne(command.first, shell)
      return code === 0 ? yield* runOne(command.second, shell) : code
    }
    case 'or': {
      const code = yield* runOne(command.first, shell)
      return code === 0 ? 0 : yield* runOne(command.second, shell)
    }
    case 'until':
      while ((yield* runAll(command.test, shell)) !== 0) {
        yield* runAll(command.body, shell)
        yield { sleepsMs: roundMs }
      }
      return 0
    case 'background':
      return 0
  }
}

function* runSimple({ words, redirects }: Extract<Command, { kind: 'simple' }>, shell: Shell): Running {
  const texts: string[] = []
  for (const word of words) texts.push(yield* textOf(word, shell))
  const assignment = texts.length === 1 ? /^(\w+)=(.*)$/s.exec(texts[0] ?? '') : null
  if (assignment !== null) {
    shell.variables.set(assignment[1] ?? '', assignment[2] ?? '')
    return 0
  }
  let written = ''
  let input: string | undefined
  let stream: Stream = 'stdout'
  let target: { readonly path: string; readonly isMore: boolean } | undefined
  for (const { operator, to } of redirects) {
    const path = yield* textOf(to, shell)
    if (operator === '<') input = contentOf(shell, path)
    else if (operator === '>&2') stream = 'stderr'
    else target = { path, isMore: operator === '>>' }
  }
  const write = (text: string) => {
    written += text
  }
  const [name = '', ...args] = texts
  const code = yield* runProgram(name, args, { shell, input, write })
  if (target !== undefined) {
    const before = target.isMore ? (contentOf(shell, target.path) ?? '') : ''
    put(shell, target.path, before + written)
  } else if (written !== '' && shell.captures !== undefined && stream === 'stdout') shell.captures(written)
  else if (written !== '') yield { says: written, stream }
  return code
}

type Run = {
  readonly shell: Shell
  readonly input: string | undefined
  readonly write: (text: string) => void
}

function* runProgram(name: string, args: readonly string[], { shell, input, write }: Run): Running {
  switch (name) {
    case ':':
    case 'true':
      return 0
    case 'false':
      return 1
    case 'echo':
      write(args[0] === '-n' ? args.slice(1).join(' ') : `${args.join(' ')}\n`)
      return 0
    case 'seq': {
      const [from = 1, to = 1] = args.map(Number)
      for (let number = from; number <= to; number += 1) write(`${number}\n`)
      return 0
    }
    case 'sleep':
      yield { sleepsMs: Number(args[0]) * 1000 }
      return 0
    case 'wait':
    case 'httpd':
      yield { stays: true }
      return 0
    case 'exit':
      throw new Exit(Number(args[0] ?? 0))
    case 'trap':
      if (args.includes('TERM')) shell.around.onTerm(script(args[0] ?? ''))
      return 0
    case '[':
      return holds(args.slice(0, -1), shell) ? 0 : 1
    case 'test':
      return holds(args, shell) ? 0 : 1
    case 'touch':
      for (const path of args) put(shell, path, contentOf(shell, path) ?? '')
      return 0
    case 'rm':
      for (const path of args.filter(arg => arg !== '-f')) shell.around.files.remove(path)
      return 0
    case 'sh': {
      const [first = '', second = '', ...rest] = args
      if (first === '-c') return yield* runScript(commandsOf(second), rest.slice(1), shell)
      return yield* runFile(first, args.slice(1), shell)
    }
    case 'wc':
      write(`${(input ?? '').split('\n').length - 1}\n`)
      return 0
    case 'cat':
      for (const path of args) {
        const content = contentOf(shell, path)
        if (content === undefined) {
          yield { says: `cat: can't open '${path}': No such file or directory\n`, stream: 'stderr' }
          return 1
        }
        write(content)
      }
      return 0
    case 'stat':
      for (const path of args.slice(2)) write(`${statOf(shell, args[1] ?? '', path)}\n`)
      return 0
    default:
      return yield* runFile(name, args, shell)
  }
}

function* runFile(path: string, args: readonly string[], shell: Shell): Running {
  const text = contentOf(shell, path)
  if (text !== undefined) return yield* runScript(commandsOf(text), args, shell)
  yield { says: `sh: ${path}: not found\n`, stream: 'stderr' }
  return 127
}

function commandsOf(text: string): readonly Command[] {
  return readScript(text.replace(/^#!.*/, ''))
}

function holds(test: readonly string[], shell: Shell): boolean {
  const [first = '', second = '', third = ''] = test
  if (first === '!') return !holds(test.slice(1), shell)
  if (first === '-n') return second !== ''
  if (first === '-e') return shell.around.files.at(second) !== undefined
  if (second === '-ge') return Number(first) >= Number(third)
  if (second === '=') return first === third
  throw new Error(`the simulated engine does not know the test [ ${test.join(' ')} ]`)
}

function* textOf(word: Word, shell: Shell): Generator<Act, string> {
  let text = ''
  for (const part of word) {
    if ('text' in part) text += part.text
    else if ('variable' in part) text += shell.variables.get(part.variable) || part.otherwise
    else {
      let said = ''
      const captures = (more: string) => {
        said += more
      }
      yield* runAll(part.substituted, { ...shell, captures })
      text += said.replace(/\n+$/, '')
    }
  }
  return text
}

function contentOf({ around }: Shell, path: string): string | undefined {
  const entry = around.files.at(path)
  return entry?.kind === 'file' ? entry.content.toString() : undefined
}

function put({ around }: Shell, path: string, content: string): void {
  around.files.put(path, { kind: 'file', content: Buffer.from(content), mode: 0o644, uid: 0, gid: 0 })
}

function statOf({ around }: Shell, format: string, path: string): string {
  const { mode = 0, uid = 0, gid = 0 } = around.files.at(path) ?? {}
  const told: Readonly<Record<string, string>> = {
    '%a': (mode & 0o7777).toString(8),
    '%u': String(uid),
    '%g': String(gid),
    '%n': path,
  }
  return format.replace(/%[augn]/g, mark => told[mark] ?? mark)
}

function simple(...words: readonly string[]): Command {
  return { kind: 'simple', words: words.map(text => [{ text }]), redirects: [] }
}
