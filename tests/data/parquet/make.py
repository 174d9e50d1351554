"""Writes the Parquet files beside it: the same three chunks as other programs store them. Needs pyarrow, numpy and duckdb."""

import duckdb
import numpy
import pyarrow
import pyarrow.parquet

rows = {
    "id": ["a", "b", "c"],
    "title": ["Mills", "Mills", None],
    "url": ["mills.html#wind", "mills.html#water", None],
    "text": ["The wind turns the sails.", "The water turns the wheel.", "Grain becomes flour."],
}
vectors = [[3.0, 4.0, 0.0], [0.0, -2.0, 0.0], [0.0, 0.0, 0.5]]
strings = [(name, pyarrow.array(values, pyarrow.string())) for name, values in rows.items()]

fixed = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(numpy.array(vectors, "float16").ravel()), 3)
pyarrow.parquet.write_table(pyarrow.table(dict(strings) | {"vector": fixed}), "pyarrow-f16-zstd.parquet", compression="zstd")

table = pyarrow.table(dict(strings) | {"embedding": pyarrow.array(vectors, pyarrow.list_(pyarrow.float32()))})
pyarrow.parquet.write_table(table, "pyarrow-f32-gzip.parquet", compression="gzip", row_group_size=2, data_page_version="2.0")

large = pyarrow.table({name: pyarrow.array(values, pyarrow.large_string()) for name, values in rows.items()})
connection = duckdb.connect()
connection.register("chunks", large)
connection.execute("create table t as select *, [3.0, 4.0, 0.0]::double[3] as embedding from chunks")
connection.execute("update t set embedding = [0.0, -2.0, 0.0] where id = 'b'")
connection.execute("update t set embedding = [0.0, 0.0, 0.5] where id = 'c'")
connection.execute("copy (select * from t order by id) to 'duckdb-f64-snappy.parquet' (format parquet, compression snappy)")
