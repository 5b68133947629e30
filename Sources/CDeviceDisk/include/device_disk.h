#ifndef DEVICE_DISK_H
#define DEVICE_DISK_H

#include <sqlite3.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What the disk under a device's file makes of writes.
enum {
    /// They succeed.
    DEVICE_DISK_SOUND = 0,
    /// No block is left: each write is answered with SQLITE_FULL.
    DEVICE_DISK_FULL = 1,
    /// No file can be created or written: a transaction fails at its journal (SQLITE_CANTOPEN).
    DEVICE_DISK_READ_ONLY = 2,
};

/// The disk of one device. It must outlive every connection that was opened on it, and belongs to
/// one thread.
typedef struct device_disk {
    /// One of DEVICE_DISK_…; may change while a connection is open.
    int condition;
    /// Whether connections are opened for reading only, as SQLite itself does where the file cannot
    /// be written at that moment.
    int opens_read_only;
    /// Calls that the host's own file system refused, and SQLite's code for the last of them.
    unsigned long host_failures;
    int host_code;
} device_disk;

/// Opens a database file on a device's disk, and creates it if it is not there. The connection has no
/// mutex, no lookaside memory, and waits for no lock.
///
/// Returns SQLite's result code. `*database` is to be closed with `sqlite3_close` unless it is NULL.
int device_disk_open(const char *path, device_disk *disk, sqlite3 **database);

/// Overwrites the header of a database file with bytes that are none, so that SQLite finds
/// SQLITE_NOTADB from its next transaction on, in open connections too.
///
/// Returns 0, or the errno of what failed. The file must not be locked by this process.
int device_disk_damage(const char *path);

#ifdef __cplusplus
}
#endif

#endif
