import { type LabelName, type Labels, label, labelOf } from '../../../state/labels.ts'

/** The part of an entry in the list of containers that names it. */
export type NamedContainer = { readonly Names: readonly string[]; readonly Labels: Labels }

/** Names a container: in the words of its repository if tallyman made it. */
export function holderInWords({ Names, Labels }: NamedContainer): string {
  const container = `the container ${(Names[0] ?? '').replace(/^\//, '')}`
  const said = (name: LabelName) => labelOf(Labels, name)
  const [service, directory, source] = [said(label.service), said(label.directory), said(label.source)]
  if (service === undefined || source === undefined) return container
  const application = said(label.application)
  const whose = application === undefined ? service : `${application}/${service}`
  return `${whose} in ${directory ?? said(label.environment)} of ${source} (${container})`
}
