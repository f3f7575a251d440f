import { type Problem, upTo } from '../errors.ts'
import { limits } from '../limits.ts'
import { onceFor } from '../memo/once-for.ts'
import { labelPlacesIn } from '../spec/site-variables.ts'
import type { Specification } from '../spec/specification/specification.ts'
import { builtIn, type SiteLabels } from '../state/fleet/labels.ts'
import { guessing } from '../text/suggestion/guess.ts'

/**
 * Returns warnings about labels that variables take their values from and that no site of the environment has, if
 * another one was probably meant or nobody can set them (A73, G13). Any other label may be one that a site gets some day,
 * and the variable has a value until then.
 * @param here the sites of the environment; if there are none, nothing is told
 */
export function unknownValueLabels(
  specifications: Iterable<Specification>,
  here: ReadonlyMap<string, SiteLabels>,
): readonly Problem[] {
  const problems = [...specifications]
    .flatMap(labelPlacesIn)
    .flatMap(({ label, position }): readonly Problem[] => {
      if (here.size === 0) return []
      const { known, guess } = knownLabels(here)
      if (known.has(label)) return []
      const meant = guess(label) || (label.startsWith('system/') ? ', which nobody can set' : '')
      if (meant === '') return []
      const message = `no site of the environment has the label "${label}"${meant}`
      return [{ code: 'label-unknown', message, position }]
    })
  return upTo(problems, limits.problemsOfFile)
}

/** The same for all specifications of all sites. */
const knownLabels = onceFor((here: ReadonlyMap<string, SiteLabels>) => {
  const known = new Set([...Object.values(builtIn), ...[...here.values()].flatMap(Object.keys)])
  const names = [...known]
  return { known, guess: guessing(() => names) }
})
