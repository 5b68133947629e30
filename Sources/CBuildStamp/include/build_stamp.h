// From what this program was built. A target in C, so that another commit compiles one small file anew, and links.
#ifndef BEACONSWARM_BUILD_STAMP_H
#define BEACONSWARM_BUILD_STAMP_H

/// The commit, 40 hexadecimal digits, with `-modified` behind it if sources differed from it; empty where nobody said.
const char *_Nonnull beaconswarm_build_commit(void);

/// The day of that commit, such as `2026-03-02` (UTC); empty where nobody said.
const char *_Nonnull beaconswarm_build_date(void);

#endif
