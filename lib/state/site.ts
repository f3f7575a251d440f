/** The name of the only site, where none is configured. People are not told on which site something is done there. */
export const defaultSite = 'local'
