/** Returns the end of a reason: how the operator allows it. */
export function allowBy(rule: string): string {
  return `; the operator allows that by "policy: {${rule}}" in tallyman.yaml`
}
