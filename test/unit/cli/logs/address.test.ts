import { expect } from 'chai'
import { readAddress } from '../../../../lib/cli/logs/address.ts'
import { Failure } from '../../../../lib/errors.ts'
import type { Logged } from '../../../../lib/state/running/logged.ts'
import { logged } from './logged.ts'

const shop = [
  logged('prod', 'shop', 'web'),
  logged('prod', 'shop', 'web', { container: 'backup' }),
  logged('prod', 'shop', 'web', { container: 'sandbox', role: 'sandbox' }),
  logged('prod', 'shop', 'worker'),
]
const both = [...shop, logged('stage', 'shop', 'web'), logged('stage', 'prod', 'shop')]

describe('the address of what "tallyman logs" shows', () => {
  const cases: readonly (readonly [string, readonly Logged[], string | undefined, string])[] = [
    ['shop', shop, undefined, 'web/web web/backup worker/worker'],
    ['prod/shop', shop, undefined, 'web/web web/backup worker/worker'],
    ['shop/web', shop, undefined, 'web/web web/backup'],
    ['shop/web/backup', shop, undefined, 'web/backup'],
    ['shop/web/sandbox', shop, undefined, 'web/sandbox'],
    ['prod/shop/web/backup', both, undefined, 'web/backup'],
    ['shop/web', both, 'environments/prod', 'web/web web/backup'],
    ['prod/shop', both, 'stage', 'web/web web/backup worker/worker'],
    ['prod/shop/shop', both, 'stage', 'shop/shop'],
  ]
  for (const [written, all, usual, found] of cases)
    it(`C52 is ${written} ${usual === undefined ? '' : `in ${usual} `}for ${found}`, () => {
      const meant = all.filter(readAddress(all, written, usual))
      expect(meant.map(({ service, container }) => `${service}/${container}`).join(' ')).to.equal(found)
    })

  const wrong: readonly (readonly [string, readonly Logged[], string | undefined, string])[] = [
    ['shpo', shop, undefined, 'there is no application with containers "shpo"; did you mean "shop"?'],
    ['shop/wbe', shop, undefined, 'there is no service of shop with containers "wbe"; did you mean "web"?'],
    ['shop/web/back', shop, undefined, 'there is no container of shop/web "back"; did you mean "backup"?'],
    ['prdo/shop', both, undefined, 'there is no environment "prdo"; did you mean "prod"?'],
    ['shop', shop, 'prdo', 'there is no environment with containers "prdo"; did you mean "prod"?'],
    ['shop', both, undefined, 'several environments are known; name one: prod/shop, stage/shop'],
    ['shop', [], undefined, 'no site has a container of Tallyman'],
    ['a//b', shop, undefined, '"a//b" is not of the form [ENVIRONMENT/]APPLICATION[/SERVICE[/CONTAINER]]'],
    ['', shop, undefined, '"" is not of the form [ENVIRONMENT/]APPLICATION[/SERVICE[/CONTAINER]]'],
  ]
  for (const [written, all, usual, message] of wrong)
    it(`G13 is refused as ${JSON.stringify(written)} with "${message}"`, () => {
      expect(() => readAddress(all, written, usual))
        .to.throw(Failure, message)
        .with.property('code', 'wrong-usage')
    })
})
