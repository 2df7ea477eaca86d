"""How firm what a nested run found is: winners, features, sizes of data, conclusions."""
