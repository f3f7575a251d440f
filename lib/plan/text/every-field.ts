import type { Change } from '../change/change.ts'
import { madeWhole, specificationOf } from '../change/made-instances.ts'
import type { FieldChange } from '../compare/field/field-change.ts'
import { allFields, distinctFields } from '../compare/field/fields.ts'

/** Returns all fields that differ, and everything that is set on instances that are shown whole; each field once. */
export function everyField(
  change: Pick<Change, 'service' | 'fields' | 'stages' | 'whole'>,
): readonly FieldChange[] {
  const distinct = new Map(madeWhole(change).map(made => [made.fingerprint, made]))
  const whole = [...distinct.values()].flatMap(made =>
    allFields(change.service, specificationOf(made.members)),
  )
  const compared = new Set(change.fields.map(({ path }) => path))
  const fields = [...change.fields, ...whole.filter(({ path }) => !compared.has(path))]
  return distinctFields(fields)
}
