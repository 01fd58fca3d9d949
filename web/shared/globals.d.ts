/** The release that the pages were built from. */
declare const __RELEASE__: string
