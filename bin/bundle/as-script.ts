import { Script } from 'node:vm'
import { parseSync } from 'rolldown/utils'

/**
 * Returns a file of the bundle, an ES module, as a script whose value is a function: called with what `load.ts` gives,
 * it returns what the module exports. V8 keeps of a script all functions that were used, and of a module only what is
 * compiled before it runs. Each line stays where it is, so that source maps still fit. Throws an error with the file's
 * name if the module does what a function could not do as well.
 */
export function asScript(code: string, file: string): string {
  const module = moduleOf(code, file)
  const changing = changingNames(code)
  const exported = module.staticExports
    .flatMap(({ entries }) => entries)
    .map(entry => exportOf(entry, changing, file))
  const text = `(function ($load, $late, $require, $url) { "use strict"; ${asStatements(code, module, file)}\nreturn { ${exported.join(', ')} } })`
  // Throws if it is no script, as with an "await" outside of any function.
  new Script(text, { filename: file })
  return text
}

/**
 * Returns the first file of a program, which stays a module, but loads the others as scripts, with what the module at
 * this address exports.
 */
export function asEntry(code: string, file: string, loader: string): string {
  const statements = asStatements(code, moduleOf(code, file), file)
  return `import { $load, $late, $require } from ${JSON.stringify(loader)}; const $url = import.meta.url; ${statements}`
}

/** What a module imports and exports, and where that stands in it. */
type Module = ReturnType<typeof parseSync>['module']
type Import = Module['staticImports'][number]
type Export = Module['staticExports'][number]['entries'][number]

type Place = { readonly start: number; readonly end: number }

/** A text to be put in place of a part of the code. */
type Edit = Place & { readonly text: string }

function moduleOf(code: string, file: string): Module {
  if (/\$(load|late|require|url)\b/.test(code)) throw refusal(file, 'it has a name that scripts are given')
  // They are read as such, which is faster, and take half the memory.
  if (/[^\0-\x7f]/.test(code)) throw refusal(file, 'it is not ASCII')
  const { module, errors } = parseSync(file, code, { lang: 'js', sourceType: 'module' })
  if (errors[0] !== undefined) throw refusal(file, errors[0].message)
  const imports = module.staticImports
  const between = imports.slice(1).map(({ start }, index) => code.slice(imports[index]?.end, start))
  if (/\S/.test(between.join(''))) throw refusal(file, 'something stands before an import')
  return module
}

/** Names whose value may be another one later. */
function changingNames(code: string): ReadonlySet<string> {
  return new Set([...code.matchAll(/^let ([^=;]+)/gm)].flatMap(([, names = '']) => names.split(/[^\w$]+/)))
}

function exportOf(
  { exportName, importName, localName, moduleRequest }: Export,
  changing: ReadonlySet<string>,
  file: string,
): string {
  if (exportName.name === null) throw refusal(file, 'it exports all of another file')
  const name = `${JSON.stringify(exportName.name)}: `
  if (moduleRequest !== null)
    return `${name}${loading(moduleRequest.value)}[${JSON.stringify(importName.name)}]`
  if (localName.name === null || changing.has(localName.name))
    throw refusal(file, `what it exports as ${exportName.name} may change`)
  return `${name}${localName.name}`
}

function asStatements(code: string, module: Module, file: string): string {
  return edited(code, [
    ...module.staticImports.map(each => ({ ...placeOf(each), text: constantsOf(each, file) })),
    ...exportsIn(code, module).map(each => ({ ...each, text: '' })),
    ...module.importMetas.map(each => ({ ...placeOf(each), text: '({ url: $url })' })),
    ...module.dynamicImports.flatMap(each => {
      const { start, end } = each.moduleRequest
      const source = code.slice(start, end)
      return isOwn(source.slice(1)) ? [{ ...placeOf(each), text: `$late(${source})` }] : []
    }),
  ])
}

/** Where export statements are. What is both imported and exported is told with the place of its import. */
function exportsIn(code: string, { staticImports, staticExports }: Module): readonly Place[] {
  const imports = new Set(staticImports.map(({ start }) => start))
  const places = staticExports.flatMap(({ start, end, entries }) =>
    imports.has(start)
      ? entries.map(entry => ({
          start: code.lastIndexOf('export', entry.start),
          end: code.indexOf('}', entry.end) + 1,
        }))
      : [{ start, end }],
  )
  return [...new Map(places.map(place => [place.start, place])).values()]
}

function placeOf({ start, end }: Place): Place {
  return { start, end }
}

/** What an import means, as constants. */
function constantsOf({ moduleRequest: { value: source }, entries }: Import, file: string): string {
  const value = loading(source)
  const wholes: string[] = []
  const parts: string[] = []
  for (const { importName, localName } of entries) {
    const isDefault = importName.kind === 'Default' || importName.name === 'default'
    if (isDefault && !isOwn(source) && !source.startsWith('node:'))
      throw refusal(file, `it imports the default of ${source}, which says nothing of its kind`)
    if (importName.kind === 'NamespaceObject' || (isDefault && !isOwn(source)))
      wholes.push(`${localName.value} = ${value}`)
    else parts.push(`${JSON.stringify(importName.name ?? 'default')}: ${localName.value}`)
  }
  const names = [...wholes, ...(parts.length === 0 ? [] : [`{ ${parts.join(', ')} } = ${value}`])]
  return names.length === 0 ? `${value};` : `const ${names.join(', ')};`
}

function loading(source: string): string {
  return `${isOwn(source) ? '$load' : '$require'}(${JSON.stringify(source)})`
}

function isOwn(source: string): boolean {
  return source.startsWith('./') || source.startsWith('../')
}

function edited(code: string, edits: readonly Edit[]): string {
  let at = 0
  const parts: string[] = []
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    const lines = code.slice(start, end).split('\n').length - 1
    parts.push(code.slice(at, start), text, '\n'.repeat(lines))
    at = end
  }
  return [...parts, code.slice(at)].join('')
}

function refusal(file: string, why: string): Error {
  return new Error(`${file} cannot become a script: ${why}.`)
}
