/** A word of a command: texts, values of variables, and what commands write. */
export type Word = readonly Part[]
export type Part =
  | { readonly text: string }
  /** `otherwise`: what stands for it when it is empty. */
  | { readonly variable: string; readonly otherwise: string }
  | { readonly substituted: readonly Command[] }

/** A command of the small shell in which the simulated engine understands the commands of tests. */
export type Command =
  | {
      readonly kind: 'simple'
      readonly words: readonly Word[]
      readonly redirects: readonly { readonly operator: '>' | '>>' | '<' | '>&2'; readonly to: Word }[]
    }
  | { readonly kind: 'group'; readonly commands: readonly Command[] }
  | { readonly kind: 'until'; readonly test: readonly Command[]; readonly body: readonly Command[] }
  | { readonly kind: 'and' | 'or'; readonly first: Command; readonly second: Command }
  /** Its output and its end are of no interest to anybody. */
  | { readonly kind: 'background' }

type Token = { readonly operator: string } | { readonly word: Word; readonly plain: string }

/** Reads a script: commands, `;`, `&&`, `||`, `&`, `{ }`, `until`, redirections, `$X`, `${X:-Y}` and `$( )`. */
export function readScript(script: string): readonly Command[] {
  const tokens = tokensOf(script)
  let at = 0
  const peek = () => tokens[at]
  const isNext = (text: string) => {
    const token = peek()
    return token !== undefined && ('operator' in token ? token.operator === text : token.plain === text)
  }
  const take = (text: string): boolean => {
    if (!isNext(text)) return false
    at += 1
    return true
  }

  function list(...ends: readonly string[]): readonly Command[] {
    const commands: Command[] = []
    while (peek() !== undefined && !ends.some(isNext)) {
      if (take(';')) continue
      const command = andOr()
      commands.push(take('&') ? { kind: 'background' } : command)
    }
    for (const end of ends) if (take(end)) break
    return commands
  }

  function andOr(): Command {
    let first = one()
    for (;;) {
      if (take('&&')) first = { kind: 'and', first, second: one() }
      else if (take('||')) first = { kind: 'or', first, second: one() }
      else return first
    }
  }

  function one(): Command {
    if (take('{')) return { kind: 'group', commands: list('}') }
    if (take('until')) return { kind: 'until', test: list('do'), body: list('done') }
    const words: Word[] = []
    const redirects: { operator: '>' | '>>' | '<' | '>&2'; to: Word }[] = []
    for (let token = peek(); token !== undefined; token = peek()) {
      if ('word' in token) {
        if (token.plain === '}') break
        words.push(token.word)
        at += 1
      } else if (token.operator === '>&2') {
        redirects.push({ operator: '>&2', to: [] })
        at += 1
      } else if (token.operator === '>' || token.operator === '>>' || token.operator === '<') {
        const to = tokens[at + 1]
        redirects.push({ operator: token.operator, to: to !== undefined && 'word' in to ? to.word : [] })
        at += 2
      } else break
    }
    return { kind: 'simple', words, redirects }
  }

  return list()
}

const operators = /^(?:>&2|>>|&&|\|\||[;&<>\n])/

function tokensOf(script: string): readonly Token[] {
  const tokens: Token[] = []
  let rest = script
  while (rest !== '') {
    const space = /^(?:[ \t]+|\\\n)/.exec(rest)?.[0]
    const operator = operators.exec(rest)?.[0]
    if (space !== undefined) rest = rest.slice(space.length)
    else if (operator !== undefined) {
      tokens.push({ operator: operator === '\n' ? ';' : operator })
      rest = rest.slice(operator.length)
    } else {
      const { word, length } = readWord(rest)
      tokens.push({ word, plain: rest.slice(0, length) })
      rest = rest.slice(length)
    }
  }
  return tokens
}

function readWord(text: string): { readonly word: Word; readonly length: number } {
  const parts: Part[] = []
  let at = 0
  let isQuoted = false
  while (at < text.length) {
    const rest = text.slice(at)
    const single = isQuoted ? null : /^'([^']*)'/.exec(rest)
    const variable = /^\$(?:\{(\w+)(?::-([^}]*))?\}|(\w+|[!$?]))/.exec(rest)
    const substitution = /^\$\(([^()]*)\)/.exec(rest)
    const [found = ''] = single ?? substitution ?? variable ?? []
    if (rest.startsWith('"')) {
      isQuoted = !isQuoted
      at += 1
    } else if (single !== null) parts.push({ text: single[1] ?? '' })
    else if (substitution !== null) parts.push({ substituted: readScript(substitution[1] ?? '') })
    else if (variable !== null)
      parts.push({ variable: variable[1] ?? variable[3] ?? '', otherwise: variable[2] ?? '' })
    else if (!isQuoted && (/^[ \t]/.test(rest) || operators.test(rest))) break
    else {
      parts.push({ text: rest.slice(0, 1) })
      at += 1
    }
    at += found.length
  }
  return { word: parts, length: at }
}
