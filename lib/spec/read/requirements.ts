import validRange from 'semver/ranges/valid.js'
import type { Requirement } from '../../state/application/application.ts'
import { byText } from '../../text/order.ts'
import type { Scalar, Spot } from '../spot.ts'

/** Reads which other applications have to be there, in which versions (G11). */
export function readRequirements(
  written: Readonly<Record<string, Scalar>>,
  spot: Spot,
): readonly Requirement[] {
  return Object.entries(written)
    .map(([application, scalar]) => {
      const range = spot.at(application).text(scalar)
      if (validRange(range) === null) spot.at(application).fault(`"${range}" is no range of versions`)
      return { application, range }
    })
    .sort(byText(({ application }) => application))
}
