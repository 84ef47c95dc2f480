"""``python -m raddle_dask`` is ``raddle-dask``."""

from raddle_dask.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
