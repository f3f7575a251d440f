import type { Problem } from '../../errors.ts'
import { findingsAlone } from '../../spec/build/alone.ts'
import type { BuildContext } from '../../spec/build/context.ts'
import { noSize, type Size, together } from '../../spec/build/size.ts'
import type { Overlay } from './overlay.ts'
import { isNote } from './unmatched.ts'

/**
 * Returns what is wrong with the specifications and the variables of a site by themselves, while the environment has no
 * use for them. Their expansion is bounded together with what is taken already (G24).
 * @param names what the environment runs
 * @param budget `size` grows by what this took
 */
export function problemsInside(
  { specifications, variables }: Pick<Overlay, 'specifications' | 'variables'>,
  names: ReadonlySet<string>,
  build: BuildContext,
  budget: { size: Size },
): readonly Problem[] {
  const alone = [...specifications.values()].flatMap(specification => {
    const taken = { ...noSize, characters: budget.size.characters }
    const { problems, size } = findingsAlone(specification, { ...build, taken })
    budget.size = together(budget.size, size)
    return problems
  })
  const values = [...variables]
    .filter(([name]) => names.has(name) || !isNote(name))
    .flatMap(([, { values }]) => [...values.values()])
  return [...alone, ...values.flatMap(({ problems }) => problems)]
}

/** Returns those specifications and variables of a site that are for none of these applications. */
export function strangersIn(
  { specifications, variables }: Overlay,
  names: ReadonlySet<string>,
): Pick<Overlay, 'specifications' | 'variables'> {
  return { specifications: without(specifications, names), variables: without(variables, names) }
}

function without<T>(all: ReadonlyMap<string, T>, names: ReadonlySet<string>): ReadonlyMap<string, T> {
  return new Map([...all].filter(([name]) => !names.has(name)))
}
