import { expect } from 'chai'
import { swarmName } from '../../../../../lib/state/application/swarm/swarm-service.ts'

describe('the name of a service on a Swarm', () => {
  for (const [environment, application, service, name] of [
    ['prod', 'shop', 'web', 'prod_shop_web'],
    ['prod', 'web', 'web', 'prod_web'],
    ['prod', 'shop_web', 'shop_web', 'prod_shop__web'],
    ['prod_shop', 'web', 'web', 'prod__shop_web'],
    ['prod_', 'web', 'web', 'prod___web'],
    ['prod', 'shop_', 'web', 'prod_shop___web'],
    ['prod', 'web_', 'web_', undefined],
    ['prod', 'a.b', 'a.b', undefined],
  ] as const)
    it(`D15 G10 of ${application}/${service} in ${environment} is ${name}, and nobody else's`, () => {
      expect(swarmName(environment, application, service)).to.equal(name)
    })
})
