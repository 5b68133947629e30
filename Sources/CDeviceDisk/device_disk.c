// A thin layer over SQLite's own file system ("VFS") that refuses what the disk of a simulated device
// would refuse, and counts what the host's disk refuses. See https://www.sqlite.org/vfs.html.

#include "device_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define VFS_NAME "device-disk"

typedef struct disk_file {
    sqlite3_file base;
    // NULL for files that belong to no device.
    device_disk *disk;
    // The file of the real file system, in the memory behind this struct.
    sqlite3_file *real;
} disk_file;

// Set while `device_disk_open` opens a main file; journals find their disk through their main file.
static _Thread_local device_disk *opening;

static sqlite3_vfs *real_vfs(sqlite3_vfs *vfs) { return (sqlite3_vfs *)vfs->pAppData; }
static sqlite3_file *real_file(sqlite3_file *file) { return ((disk_file *)file)->real; }

// Passes a result on, and counts it if the host's file system refused the call.
static int counted(device_disk *disk, int code) {
    switch (code & 0xFF) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
        if (disk != NULL && code != SQLITE_IOERR_SHORT_READ) {
            disk->host_failures += 1;
            disk->host_code = code;
        }
    }
    return code;
}

// MARK: Files

static int file_close(sqlite3_file *file) { return real_file(file)->pMethods->xClose(real_file(file)); }

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    device_disk *disk = ((disk_file *)file)->disk;
    return counted(disk, real_file(file)->pMethods->xRead(real_file(file), bytes, count, offset));
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    device_disk *disk = ((disk_file *)file)->disk;
    if (disk != NULL && disk->condition == DEVICE_DISK_FULL) return SQLITE_FULL;
    if (disk != NULL && disk->condition == DEVICE_DISK_READ_ONLY) return SQLITE_IOERR_WRITE;
    return counted(disk, real_file(file)->pMethods->xWrite(real_file(file), bytes, count, offset));
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    device_disk *disk = ((disk_file *)file)->disk;
    if (disk != NULL && disk->condition == DEVICE_DISK_READ_ONLY) return SQLITE_IOERR_TRUNCATE;
    return counted(disk, real_file(file)->pMethods->xTruncate(real_file(file), size));
}

static int file_sync(sqlite3_file *file, int flags) {
    return real_file(file)->pMethods->xSync(real_file(file), flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    return real_file(file)->pMethods->xFileSize(real_file(file), size);
}

static int file_lock(sqlite3_file *file, int level) {
    return real_file(file)->pMethods->xLock(real_file(file), level);
}

static int file_unlock(sqlite3_file *file, int level) {
    return real_file(file)->pMethods->xUnlock(real_file(file), level);
}

static int file_check_lock(sqlite3_file *file, int *result) {
    return real_file(file)->pMethods->xCheckReservedLock(real_file(file), result);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
    return real_file(file)->pMethods->xFileControl(real_file(file), operation, argument);
}

static int file_sector_size(sqlite3_file *file) {
    return real_file(file)->pMethods->xSectorSize(real_file(file));
}

static int file_characteristics(sqlite3_file *file) {
    return real_file(file)->pMethods->xDeviceCharacteristics(real_file(file));
}

// Version 1: no shared memory (the SDKs use no WAL) and no mapping.
static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
};

// MARK: File system

static device_disk *disk_of(const char *name, int flags) {
    if (flags & SQLITE_OPEN_MAIN_DB) return opening;
    if (name == NULL || !(flags & SQLITE_OPEN_MAIN_JOURNAL)) return NULL;
    sqlite3_file *database = sqlite3_database_file_object(name);
    return database == NULL ? NULL : ((disk_file *)database)->disk;
}

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags) {
    sqlite3_vfs *real = real_vfs(vfs);
    disk_file *own = (disk_file *)file;
    own->base.pMethods = NULL;
    own->disk = disk_of(name, flags);
    own->real = (sqlite3_file *)(own + 1);
    own->real->pMethods = NULL;
    if (own->disk != NULL && (flags & SQLITE_OPEN_MAIN_DB) && own->disk->opens_read_only) {
        flags = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
        int exists = 0;
        real->xAccess(real, name, SQLITE_ACCESS_EXISTS, &exists);
        if (!exists) return SQLITE_CANTOPEN;
    } else if (own->disk != NULL && own->disk->condition == DEVICE_DISK_READ_ONLY
               && !(flags & SQLITE_OPEN_MAIN_DB)) {
        return SQLITE_CANTOPEN;
    }
    int code = real->xOpen(real, name, own->real, flags, out_flags);
    if (own->real->pMethods != NULL) own->base.pMethods = &methods;
    return counted(own->disk, code);
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync) {
    return real_vfs(vfs)->xDelete(real_vfs(vfs), name, sync);
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    return real_vfs(vfs)->xAccess(real_vfs(vfs), name, flags, result);
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *name, int count, char *path) {
    return real_vfs(vfs)->xFullPathname(real_vfs(vfs), name, count, path);
}

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    return real_vfs(vfs)->xRandomness(real_vfs(vfs), count, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
    return real_vfs(vfs)->xSleep(real_vfs(vfs), microseconds);
}

static int vfs_current_time(sqlite3_vfs *vfs, double *time) {
    return real_vfs(vfs)->xCurrentTime(real_vfs(vfs), time);
}

static int vfs_last_error(sqlite3_vfs *vfs, int count, char *text) {
    return real_vfs(vfs)->xGetLastError(real_vfs(vfs), count, text);
}

static sqlite3_vfs own_vfs;
static int registration = SQLITE_ERROR;

static void register_vfs(void) {
    sqlite3_vfs *real = sqlite3_vfs_find(NULL);
    if (real == NULL) return;
    own_vfs.iVersion = 1;
    own_vfs.szOsFile = (int)sizeof(disk_file) + real->szOsFile;
    own_vfs.mxPathname = real->mxPathname;
    own_vfs.zName = VFS_NAME;
    own_vfs.pAppData = real;
    own_vfs.xOpen = vfs_open;
    own_vfs.xDelete = vfs_delete;
    own_vfs.xAccess = vfs_access;
    own_vfs.xFullPathname = vfs_full_path;
    own_vfs.xRandomness = vfs_randomness;
    own_vfs.xSleep = vfs_sleep;
    own_vfs.xCurrentTime = vfs_current_time;
    own_vfs.xGetLastError = vfs_last_error;
    registration = sqlite3_vfs_register(&own_vfs, 0);
}

int device_disk_open(const char *path, device_disk *disk, sqlite3 **database) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    *database = NULL;
    pthread_once(&once, register_vfs);
    if (registration != SQLITE_OK) return registration;
    opening = disk;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    int code = sqlite3_open_v2(path, database, flags, VFS_NAME);
    opening = NULL;
    if (code != SQLITE_OK) return code;
    // 48 kB that statements on one small table do not need.
    sqlite3_db_config(*database, SQLITE_DBCONFIG_LOOKASIDE, NULL, 0, 0);
    return SQLITE_OK;
}

int device_disk_damage(const char *path) {
    // The 100 bytes of the header, with the counter by which connections notice changes.
    char bytes[100];
    memset(bytes, 0xDB, sizeof bytes);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return errno;
    ssize_t written = pwrite(file, bytes, sizeof bytes, 0);
    int code = written == (ssize_t)sizeof bytes ? 0 : written < 0 ? errno : EIO;
    close(file);
    return code;
}
