/** A named volume of ours, by its name on the engine; never removed by a reconcile (D3). */
export type Volume = {
  readonly name: string
  readonly application: string
  readonly driver?: string
  readonly driverOptions?: Readonly<Record<string, string>>
}
