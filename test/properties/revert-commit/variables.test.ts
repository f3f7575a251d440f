import { expect } from 'chai'
import { parse, stringify } from 'yaml'
import { changesForApplication } from '../../../lib/revert-commit/of-application.ts'
import { changed, sideOf, type Texts } from '../../support/git/revert-side.ts'

const directory = 'environments/prod'
const site = `${directory}/sites/north`

type Values = Readonly<Record<string, object>>

/** The variables of a site in files of every ending; none if no application has any. */
function* layouts(application: string): Generator<{ readonly values: Values; readonly texts: Texts }> {
  for (const mine of [undefined, { A: '1' }, { A: '2', B: 'b' }])
    for (const other of [undefined, { C: '1' }, { C: '2' }])
      for (const ending of ['yaml', 'yml', 'json']) {
        const values: Values = {
          ...(other === undefined ? {} : { cache: other }),
          ...(mine === undefined ? {} : { [application]: mine }),
        }
        const text = ending === 'json' ? JSON.stringify(values, undefined, 2) : stringify(values)
        const isThere = Object.keys(values).length > 0
        yield { values, texts: isThere ? { [`${site}/variables.${ending}`]: text } : {} }
      }
}

const valuesIn = (texts: Texts): Values => Object.assign({}, ...Object.values(texts).map(text => parse(text)))

describe('the variables of a site that a commit brings back', () => {
  for (const application of ['shop', 'constructor'])
    it(`A12 A70 of ${application} are as they were, and those of others as they are, whatever came or went since`, async () => {
      const files = { [`${directory}/manifest.json`]: '{}' }
      for (const now of layouts(application))
        for (const then of layouts(application)) {
          const changes = await changesForApplication(
            { directory, application },
            await sideOf({ ...files, ...now.texts }),
            await sideOf({ ...files, ...then.texts }),
          )
          const { [application]: _, ...others } = now.values
          const mine = Object.hasOwn(then.values, application)
            ? { [application]: then.values[application] }
            : {}
          const told = JSON.stringify([now.texts, then.texts])
          const after = changed(now.texts, changes)
          expect(valuesIn(after), told).to.deep.equal({ ...others, ...mine })
          expect(Object.keys(after).length, told).to.be.at.most(1)
        }
    })
})
